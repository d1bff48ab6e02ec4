export { type AggregateOptions, AggregateServable } from './servable.ts'
