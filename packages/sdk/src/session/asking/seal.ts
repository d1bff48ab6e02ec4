/** Sealed tokens: the state of a server that a client keeps, encrypted and protected against changes (D-06, D-20). */
import { ParleyError } from '../../errors/index.ts'
import { type Body, canonicalJson, fromBase64url, isObject, toBase64url } from '../../jsonrpc/index.ts'

/** A secret, such as 32 random bytes in any encoding. Do not use a password. */
export type SealKey = string | Uint8Array

/** Longest token that is made or read. */
export const MAX_TOKEN = 1024 * 1024

const PREFIX = 'v1.'
const MIN_KEY = 16
const IV = 12
const TAG = 16
const MAX_PLAIN = Math.floor(((MAX_TOKEN - PREFIX.length) * 3) / 4) - IV - TAG
/** The secret may have other uses, so the key of tokens is derived from it. */
const PURPOSE = new TextEncoder().encode('parley-mcp sealed token v1')

/** The first key seals, all of them open. To change keys, put the new one first and remove the old one later. */
export class Seal {
  readonly #secrets: readonly Uint8Array<ArrayBuffer>[] | undefined
  /** Made on first use: most sessions never ask questions. */
  #keys: Promise<readonly CryptoKey[]> | undefined

  /** Without keys, only this object can open its tokens. */
  constructor(keys?: SealKey | readonly SealKey[]) {
    this.#secrets = keys === undefined ? undefined : secretsOf(keys)
  }

  async seal(payload: Body): Promise<string> {
    const plain = new TextEncoder().encode(JSON.stringify(payload))
    if (plain.length > MAX_PLAIN) {
      throw new ParleyError('internal_error', {
        message: `The state to keep has ${plain.length} bytes of JSON; at most ${MAX_PLAIN} are possible`,
      })
    }
    const [key] = (await this.#imported()) as [CryptoKey]
    const iv = crypto.getRandomValues(new Uint8Array(IV))
    const sealed = new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, plain))
    const bytes = new Uint8Array(IV + sealed.length)
    bytes.set(iv)
    bytes.set(sealed, IV)
    return PREFIX + toBase64url(bytes)
  }

  /** The payload, or `undefined` for a text that is no token of these keys. Never throws. */
  async open(token: string): Promise<Body | undefined> {
    if (typeof token !== 'string' || token.length > MAX_TOKEN || !token.startsWith(PREFIX)) return undefined
    const bytes = fromBase64url(token.slice(PREFIX.length))
    if (bytes === undefined || bytes.length < IV + TAG) return undefined
    try {
      for (const key of await this.#imported()) {
        const plain = await opened(key, bytes)
        if (plain !== undefined) return payloadOf(plain)
      }
    } catch {
      // An error of the platform means that the token cannot be used.
    }
    return undefined
  }

  #imported(): Promise<readonly CryptoKey[]> {
    this.#keys ??= Promise.all((this.#secrets ?? [crypto.getRandomValues(new Uint8Array(32))]).map(derived))
    return this.#keys
  }
}

const NOT_PARAMS: ReadonlySet<string> = new Set(['_meta', 'inputResponses', 'requestState', 'task'])

/** The same digest for a request and its repetitions, which differ in their metadata and answers. */
export async function paramsDigest(params: Body): Promise<string> {
  const salient = Object.fromEntries(Object.entries(params).filter(([name]) => !NOT_PARAMS.has(name)))
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(canonicalJson(salient)))
  return toBase64url(new Uint8Array(digest))
}

function secretsOf(keys: SealKey | readonly SealKey[]): readonly Uint8Array<ArrayBuffer>[] {
  const all = typeof keys === 'string' || keys instanceof Uint8Array ? [keys] : keys
  if (!Array.isArray(all) || all.length === 0)
    throw new RangeError('asking.key must be a secret or a list of at least one')
  return all.map((key: unknown) => {
    if (typeof key !== 'string' && !(key instanceof Uint8Array))
      throw new TypeError('asking.key must be a string or bytes, or a list of them')
    if (key.length < MIN_KEY)
      throw new RangeError(
        `asking.key must have at least ${MIN_KEY} ${typeof key === 'string' ? 'characters' : 'bytes'}`,
      )
    return typeof key === 'string' ? new TextEncoder().encode(key) : new Uint8Array(key)
  })
}

async function derived(secret: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveKey'])
  const derivation = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: PURPOSE }
  return crypto.subtle.deriveKey(derivation, material, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
}

/** `undefined` when the token was not made with this key. */
async function opened(key: CryptoKey, bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer | undefined> {
  try {
    return await crypto.subtle.decrypt({ name: 'AES-GCM', iv: bytes.subarray(0, IV) }, key, bytes.subarray(IV))
  } catch {
    return undefined
  }
}

function payloadOf(plain: ArrayBuffer): Body | undefined {
  const payload: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(plain))
  return isObject(payload) ? payload : undefined
}
