export { AggregateAddress, type AggregateAddressOptions } from './all/aggregate-address.ts'
export type { AddressOptions } from './client-admission.ts'
export { ServerAddress } from './server/server-address.ts'
