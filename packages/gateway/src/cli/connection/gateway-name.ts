/** As Parley's gateway calls itself at `/mcp`. */
export const GATEWAY = 'parley-gateway'
