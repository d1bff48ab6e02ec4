/** Where an address leads that answers with a redirect. Nothing is sent to another origin. */
import { shown } from '../target.ts'
import { oneLine } from '../text.ts'
import { type HttpAnswer, pageAt } from './http-answer.ts'
import { type Cause, isLogin, LOGIN_FIX, titleIn } from './http-causes.ts'

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
      detail: `it answered ${status} and does not say where to`,
      fix: 'ask its operator for the right address',
    }
  if (target.href === url.href)
    return {
      check: 'speaks',
      detail: `it answered ${status} and leads to itself`,
      fix: 'the server, or a proxy in front of it, is set up wrongly: see its log',
    }
  const detail = `it answered ${status} and leads to ${oneLine(shown(target), 200)}`
  // The page is asked for without credentials, and only where the question came from.
  const page = target.origin === url.origin ? await pageAt(target, signal) : undefined
  const title = page === undefined ? undefined : titleIn(page.body)
  const named = title === undefined ? detail : `${detail}, a page titled ${JSON.stringify(title)}`
  if (isLogin(`${target.host} ${target.pathname}`) || isLogin(title ?? ''))
    return { check: 'access', detail: named, fix: LOGIN_FIX }
  return {
    check: 'speaks',
    detail: named,
    fix: `the address leads elsewhere: use ${oneLine(shown(target), 200)} if you trust it`,
  }
}
