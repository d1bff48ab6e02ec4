import { afterEach, beforeEach, it } from 'vitest'
import { configOf, FaultRig, failureOf, faulty, soon } from './faults.fixtures.ts'
import { modern, shakeHands } from './raw.fixtures.ts'
let rig: FaultRig
beforeEach(() => { rig = new FaultRig() })
afterEach(() => rig.clear())
it('x', async () => {
  await rig.start({ removed: faulty(), changed: faulty() })
  const t = Date.now()
  const log = (what: string) => (v: unknown) => console.log(what, Date.now() - t, JSON.stringify(v))
  const s = await shakeHands(rig.address('removed'))
  const s11 = await shakeHands(rig.address('removed'), '2025-11-25')
  const c = await rig.client('removed')
  const cm = await rig.client('removed', '2026-07-28')
  const all = [
    s.request('tools/call', { name: 'hang' }).then(log('raw'), log('raw err')),
    s11.request('tools/call', { name: 'hang' }).then(log('raw11'), log('raw11 err')),
    modern(rig.address('removed'), 'tools/call', { name: 'hang' }).then(log('modern'), log('modern err')),
    failureOf(c.call('hang')).then((e) => log('sdk')((e as Error).message)),
    failureOf(cm.call('hang')).then((e) => log('sdkm')((e as Error).message)),
  ]
  await new Promise((r) => setTimeout(r, 500))
  await rig.gateway.reload(configOf({ changed: faulty() })).then(log('reloaded'))
  await soon(Promise.all(all), 20000)
})
