import { operation, PathId, Type as T } from '@cairn/contract'
import fastify from 'fastify'
import { test } from 'vitest'
import http from 'node:http'
import { systemClock } from '../base/clock.ts'
import { newId } from '../base/id.ts'
import { openLog } from '../base/log.ts'
import { openHttp } from './server.ts'
const path='/api/v1/storage/sandboxes/:sandbox_id/things'
const params = T.Object({ sandbox_id: PathId('s','sandbox') })
const ops = { get: operation({ method:'GET', path, tag:'a', summary:'a', access:'viewer', audit:{none:'r'}, retry:'safe', params, reply:T.Object({name:T.String()}), status:200, faults:[] }),
 post: operation({ method:'POST', path, tag:'a', summary:'a', access:'viewer', audit:{none:'r'}, retry:'safe', params, body: T.Object({query:T.String()}), reply:T.Object({name:T.String()}), status:200, faults:[] }) }
async function drive(port:number, method:string, url:string, n:number, body?:string) {
  const agent = new http.Agent({keepAlive:true, maxSockets:8})
  const one = () => new Promise<void>((res,rej)=>{ const r=http.request({port,host:'127.0.0.1',method,path:url,agent,headers:{authorization:'Bearer x', ...(body&&{'content-type':'application/json','content-length':Buffer.byteLength(body)})}}, m=>{m.resume(); m.on('end',()=>res())}); r.on('error',rej); r.end(body) })
  let left=n; await Promise.all(Array.from({length:8}, async()=>{ while(left-->0) await one() })); agent.destroy()
}
test('bench', async () => {
  const bare = fastify(); bare.get(path, { schema:{response:{200:T.Object({name:T.String()})}} }, async()=>({name:'a'})); bare.post(path, { schema:{response:{200:T.Object({name:T.String()})}} }, async()=>({name:'a'}))
  await bare.listen({port:0,host:'127.0.0.1'})
  const ours = await openHttp({ operations:ops, handlers:{ get: async()=>({name:'a'}), post: async()=>({name:'a'}) }, app:{} as never, authenticate: async()=>({accountId:'a',credential:{kind:'api_key',id:newId('key',systemClock)}}), reachOf: async()=>({allows:()=>true}) as never, isReady:async()=>true, version:'1', clock:systemClock, log:openLog('info',systemClock,()=>{}) })
  const url = path.replace(':sandbox_id', newId('sandbox',systemClock))
  const body = JSON.stringify({query:'Who moved the launch?', items:[['a','b']], preset:'auto'})
  const p1=(bare.server.address() as {port:number}).port, p2=Number(new URL(await ours.listen('127.0.0.1',0)).port)
  for (const [m,b] of [['GET',undefined],['POST',body]] as const) for (let k=0;k<3;k++) for (const [name,p] of [['bare',p1],['ours',p2]] as const) {
    await drive(p,m,url,3000,b); const c0=process.cpuUsage(); const t=performance.now(); await drive(p,m,url,20000,b); const c=process.cpuUsage(c0)
    console.log(m,name,((c.user+c.system)/20000).toFixed(1),'us cpu (client+server)',(20000/(performance.now()-t)*1000).toFixed(0),'rps')
  }
  await bare.close(); await ours.close(0,1000)
}, 200000)
