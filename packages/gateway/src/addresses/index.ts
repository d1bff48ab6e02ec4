export { AggregateAddress, type AggregateAddressOptions } from './all/aggregate-address.ts'
export { ServerAddress, type ServerAddressOptions } from './server/server-address.ts'
