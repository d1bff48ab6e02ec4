export { Gateway, type GatewayOptions } from './gateway.ts'
export { startGateway } from './start.ts'
