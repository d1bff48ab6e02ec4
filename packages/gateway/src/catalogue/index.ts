/** The catalogue: what clients see of many servers at once, and what each name and URI they send stands for. */
export { type IntroducedServer, mergeIntroductions } from './capabilities.ts'
export { type FilteredTools, ToolFilter, toolFilter } from './filter.ts'
export { type FoundName, type NameClash, NameTable, type NameTableOptions } from './names.ts'
export { type ListNote, type ListSource, MergedList, type MergedListOptions, type MergedPage } from './pages.ts'
export { PinBook, type PinBookOptions, type PinCheck, type PinnedTools, PinsFileError } from './pins.ts'
export { type RoutedUri, UriTable } from './uris.ts'
export { weightOf } from './weight.ts'
