/** Finds the cause of an HTTP answer that is not MCP, and how to fix it. */

import { shown } from '../../arguments/selected-server.ts'
import { oneLine } from '../../terminal/text.ts'
import { type HttpAnswer, pageAt } from './answer.ts'

export interface Cause {
  /** The name of the check that found it. */
  readonly check: 'access' | 'speaks'
  readonly detail: string
  readonly fix: string
}

export interface RequestFacts {
  readonly url: URL
  /** Whether the user gave headers, which may contain credentials. */
  readonly hasHeaders: boolean
}

type Recognise = (answer: HttpAnswer, facts: RequestFacts) => Cause | undefined

/** The first match counts. */
const CAUSES: readonly Recognise[] = [missingScope, challenged, limited, misdirected, webPage, emptyStream]

export function causeOf(answer: HttpAnswer, facts: RequestFacts): Cause | undefined {
  for (const recognise of CAUSES) {
    const cause = recognise(answer, facts)
    if (cause !== undefined) return cause
  }
  return undefined
}

function missingScope({ status, header }: HttpAnswer): Cause | undefined {
  const challenge = header('www-authenticate')
  const scope = parameter(challenge, 'scope')
  if (status !== 403 || challenge === undefined) return undefined
  if (scope === undefined && parameter(challenge, 'error') !== 'insufficient_scope') return undefined
  const wanted = scope === undefined ? 'another scope' : `the scope ${JSON.stringify(oneLine(scope, 120))}`
  return {
    check: 'access',
    detail: `it answered 403: the token is known, but it lacks ${wanted}`,
    fix: `get a token with ${wanted}`,
  }
}

/** By the scheme of the challenge: the credentials to get, and how to pass them. */
const SCHEMES: Readonly<Record<string, string>> = {
  bearer: `give a token: --header 'Authorization: Bearer …', or "headers" in the configuration`,
  basic: `give user and password: --header 'Authorization: Basic …' with USER:PASSWORD in base64, or "headers" in the configuration`,
}

function challenged({ status, header }: HttpAnswer, { hasHeaders }: RequestFacts): Cause | undefined {
  if (status !== 401) return undefined
  const challenge = header('www-authenticate')
  const asked =
    challenge === undefined
      ? 'it answered 401 without naming the credentials'
      : `it answered 401 and asks for: ${oneLine(challenge, 300)}`
  const again = hasHeaders ? 'the server does not accept the credentials: ' : ''
  const metadata = parameter(challenge, 'resource_metadata')
  if (metadata !== undefined) {
    const where = `its authorization server is named in ${oneLine(metadata, 200)}`
    const token = `${again === '' ? 'log in by OAuth and give the token' : 'get a new token by OAuth'}: --header 'Authorization: Bearer …'`
    return { check: 'access', detail: `${asked}; that is OAuth`, fix: `${again}${token}; ${where}` }
  }
  const scheme = /^\s*([\w-]+)/.exec(challenge ?? '')?.[1] ?? 'Bearer'
  const fix =
    SCHEMES[scheme.toLowerCase()] ?? `it wants ${scheme}, which no header can give: ask its operator for a token`
  return { check: 'access', detail: asked, fix: again === '' ? fix : `${again}get new ones, and ${fix}` }
}

function limited({ status, header }: HttpAnswer): Cause | undefined {
  if (status !== 429) return undefined
  const seconds = secondsIn(header('retry-after'))
  const detail = 'it answered 429: too many requests'
  return seconds === undefined
    ? { check: 'speaks', detail, fix: 'wait, and try again' }
    : { check: 'speaks', detail: `${detail} for the next ${seconds} s`, fix: `wait ${seconds} s, and try again` }
}

/** Retry-After has seconds or a date. */
function secondsIn(value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const ms = /^\d{1,9}$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(1, Math.ceil(ms / 1000))
}

function misdirected({ status }: HttpAnswer, { url }: RequestFacts): Cause | undefined {
  if (status !== 421) return undefined
  const detail = `it answered 421: it does not serve the host name ${url.host}`
  return {
    check: 'speaks',
    detail,
    fix: 'use a host name that the server allows, or add this one to its allowed hosts',
  }
}

const LOGIN = /\b(?:sign[ -]?in|log[ -]?in|login|signin|sso|single sign|authenticat|password|saml|oauth2?|authorize)\b/i

/** Whether an address or a title belongs to a login page. */
export function isLogin(text: string): boolean {
  return LOGIN.test(text.replaceAll(/[/_.?=&]/g, ' '))
}

export const LOGIN_FIX = `a login page for people stands in front of the server: give credentials that a program may use, such as --header 'Authorization: Bearer …', or ask its operator`

export function titleIn(body: string): string | undefined {
  const [, title] = /<title[^>]*>([^<]{1,500})/i.exec(body) ?? []
  return title === undefined || title.trim() === '' ? undefined : oneLine(title.replaceAll(/\s+/g, ' '), 120)
}

function webPage({ status, header, body }: HttpAnswer): Cause | undefined {
  if (status < 200 || status > 299 || !/^\s*text\/html\b/i.test(header('content-type') ?? '')) return undefined
  const title = titleIn(body)
  const detail = `it answered ${status} with a web page${title === undefined ? '' : ` titled ${JSON.stringify(title)}`} instead of MCP`
  if (!isLogin(title ?? '') && !/<input[^>]+type=["']?password/i.test(body)) return undefined
  return { check: 'access', detail, fix: LOGIN_FIX }
}

function emptyStream({ status, header, body, isWhole }: HttpAnswer): Cause | undefined {
  if (
    status !== 200 ||
    !isWhole ||
    !/^\s*text\/event-stream\b/i.test(header('content-type') ?? '') ||
    /^data:/m.test(body)
  )
    return undefined
  const detail = 'it answered with an event stream that ended without any message'
  return {
    check: 'speaks',
    detail,
    fix: 'the server accepted the request, but did not answer it: see its log and the log of any proxy',
  }
}

function parameter(challenge: string | undefined, name: string): string | undefined {
  const [, quoted, bare] =
    new RegExp(`[\\s,]${name}\\s*=\\s*(?:"([^"]*)"|([^\\s,"]+))`, 'i').exec(challenge ?? '') ?? []
  return quoted ?? bare
}

/** Where a redirect leads. Sends nothing to another origin. */
export async function redirectCause(
  { status, header }: HttpAnswer,
  url: URL,
  signal: AbortSignal,
): Promise<Cause | undefined> {
  if (status < 300 || status > 399) return undefined
  const location = header('location')
  const target = location !== undefined && URL.canParse(location, url) ? new URL(location, url) : undefined
  if (target === undefined)
    return {
      check: 'speaks',
      detail: `it answered ${status} without a valid location`,
      fix: 'ask its operator for the right address',
    }
  if (target.href === url.href)
    return {
      check: 'speaks',
      detail: `it answered ${status} and leads to itself`,
      fix: 'the server, or a proxy in front of it, is set up wrongly: see its log',
    }
  const detail = `it answered ${status} and leads to ${oneLine(shown(target), 200)}`
  // Requests the page without credentials, and only at the same origin.
  const page = target.origin === url.origin ? await pageAt(target, signal) : undefined
  const title = page === undefined ? undefined : titleIn(page.body)
  const named = title === undefined ? detail : `${detail}, a page titled ${JSON.stringify(title)}`
  if (isLogin(`${target.host} ${target.pathname}`) || isLogin(title ?? ''))
    return { check: 'access', detail: named, fix: LOGIN_FIX }
  return {
    check: 'speaks',
    detail: named,
    fix: `the address redirects elsewhere: use ${oneLine(shown(target), 200)} if you trust it`,
  }
}
