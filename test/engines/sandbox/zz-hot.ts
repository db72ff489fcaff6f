import { networkWorld } from '/work/main/test/engines/sandbox/network-world.ts'
import { performance } from 'node:perf_hooks'
const world = await networkWorld([0,0,0,0])
const i = await world.connected('smv2')
const receipts = process.argv[2] as 'none'
await world.network.changePhone(world.accountId, '12025550101', { receipts })
const engine = world.network.smv2
const never = new AbortController().signal
const N = 40000
let journals: any[] = []
let t = performance.now(); let c = process.cpuUsage()
for (let n = 0; n < N; n++) { const o = await engine.send(i, ('msg_' + String(n).padStart(26,'0')) as never, {kind:'text', to:'12025550101', text:'Hello, your order 12345 has left our warehouse and arrives tomorrow.'}, never); journals.push((o as any).journal) }
console.log('send µs', (performance.now()-t)*1000/N)
t = performance.now(); c = process.cpuUsage()
await Promise.all(journals.map((j) => world.data.db.commit((tx) => j(tx))))
console.log('journal commit µs', (performance.now()-t)*1000/N)
t = performance.now()
await Promise.all(journals.map(() => world.data.db.commit(async () => {})))
console.log('empty commit µs', (performance.now()-t)*1000/N)
t = performance.now()
while ((world.data.raw.prepare('select count(*) n from sandbox_timeline').get() as any).n > 0) await new Promise(r => setTimeout(r, 50))
console.log('timeline drained after ms', performance.now()-t)
await world.close()
