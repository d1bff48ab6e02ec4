export { Crowd, type Member } from './crowd.ts'
export { IdTable } from './id-table.ts'
