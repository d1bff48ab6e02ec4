/** The name and version with which the gateway introduces itself. A test compares the version with `package.json`. */
export const gatewayInfo = { name: 'parley-gateway', version: '0.1.0' } as const
