export { ByteBudget, Charge } from './byte-budget.ts'
export { Crowd, type Member } from './crowd.ts'
export { IdTable } from './id-table.ts'
export { weightOf } from './weight.ts'
