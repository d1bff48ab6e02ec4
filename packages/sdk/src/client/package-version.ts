/**
 * The version of this package, which clients introduce themselves with. A test holds it to the manifest, which not
 * every runtime can read.
 */
export const packageVersion = '0.1.0'
