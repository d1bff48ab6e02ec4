export { type MemoryPairOptions, memoryPair } from './memory.ts'
