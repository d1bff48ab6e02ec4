/** The catalogue: what clients see of many servers at once, and what each name and URI they send stands for. */

export { isAppUri, withAppLinks } from './app-uris.ts'
export { type IntroducedServer, mergeIntroductions, untoldIn } from './capabilities.ts'
export { type FilteredTools, ToolFilter, toolFilter } from './filter.ts'
export { type FoundName, type NameClash, NameTable, type NameTableOptions } from './names.ts'
export { PageReader } from './page-reader.ts'
export { type ListNote, type ListSource, MergedList, type MergedListOptions, type MergedPage } from './pages.ts'
export { type PinCheck, type PinnedTools, PinsFileError, ToolPins, type ToolPinsOptions } from './pins.ts'
export { sha256 } from './sha256.ts'
export { namesTools, straySettings } from './stray-settings.ts'
export { type RoutedUri, UriTable } from './uris.ts'
