export { Bag, type BagEntry } from './bag.ts'
export { ByteBudget, Charge } from './byte-budget.ts'
export { IdTable } from './id-table.ts'
export { weightOf } from './weight.ts'
