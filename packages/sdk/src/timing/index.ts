export { Backoff } from './backoff.ts'
