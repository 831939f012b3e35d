import{_ as o,o as t,c as a,ag as s}from"./chunks/framework.BSWkqPOH.js";const u=JSON.parse('{"title":"Several processes","description":"","frontmatter":{},"headers":[],"relativePath":"scale.md","filePath":"scale.md"}'),r={name:"scale.md"};function n(d,e,c,i,h,l){return t(),a("div",null,[...e[0]||(e[0]=[s(`<h1 id="several-processes" tabindex="-1">Several processes <a class="header-anchor" href="#several-processes" aria-label="Permalink to &quot;Several processes&quot;">​</a></h1><p>Processes that share one PostgreSQL and one S3-compatible store are one service: each answers any request. Start every process with the same settings, its own data folder and its own address:</p><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre><code>DATABASE_URL=postgresql://cairn@db.internal/cairn STORAGE_URL=s3://bucket/cairn CAIRN_MASTER_KEY=… \\
  CAIRN_PUBLIC_URL=https://cairn.example.com CAIRN_NODE_URL=http://10.0.0.3:8484 cairn serve
cairn doctor --cluster
</code></pre></div><p><code>DATABASE_URL</code>, <code>STORAGE_URL</code> with its keys, <code>CAIRN_MASTER_KEY</code>, <code>CAIRN_PUBLIC_URL</code> and <code>CAIRN_LIMITS</code> must be equal everywhere. See also <a href="./postgres">PostgreSQL</a> and <a href="./kubernetes">Kubernetes</a>.</p><h2 id="home-nodes" tabindex="-1">Home nodes <a class="header-anchor" href="#home-nodes" aria-label="Permalink to &quot;Home nodes&quot;">​</a></h2><p>A process with <code>CAIRN_NODE_URL</code> is a <strong>node</strong>. Each sandbox has one home node, found by rendezvous hashing of its id over the live nodes. Its index is in memory there, so N nodes hold N times as many sandboxes.</p><ul><li>Requests that need a sandbox&#39;s index (questions, records, imports, MCP) are forwarded to its home node, which also authorizes and counts them. Everything else is answered where it arrives. A request is forwarded once.</li><li>An unreachable home node costs at most one second; then the request is answered where it arrived. If a connection breaks after sending, requests that are safe to repeat are repeated, others get 503 with a note that they may have taken effect. After 90 seconds without data a forwarded reply is aborted.</li><li>Requests with a <a href="./caller-keys">customer-managed key</a> are never forwarded. Do not send key headers for sandboxes without a key.</li><li>Records are applied at the home node. If it does not take a webhook&#39;s or pull&#39;s records within a second, the receiving node applies them.</li><li>Two nodes with the same <code>CAIRN_NODE_URL</code> are reported by <code>cairn doctor --cluster</code>.</li></ul><p>Traffic between nodes contains credentials and content. With <code>http://</code> use a private network.</p><h2 id="roles" tabindex="-1">Roles <a class="header-anchor" href="#roles" aria-label="Permalink to &quot;Roles&quot;">​</a></h2><p><code>CAIRN_ROLE</code> is <code>all</code> by default. An <code>api</code> process answers requests and does no background work. A <code>worker</code> applies records, polls sources, compacts storage, erases and sends webhooks; it answers only <code>/healthz</code>, <code>/readyz</code>, <code>/metrics</code> and forwarded requests, so it needs <code>CAIRN_NODE_URL</code>. Callers get 503 from a worker: point the load balancer at the others.</p><p>Changes to a sandbox are forwarded to its home node among the workers, questions to its home node among the others; both need memory for the index. Without a live worker, records are accepted and wait; the log, <code>/readyz</code> and <code>cairn doctor</code> report it, and <code>cairn_workers</code> is 0.</p><h2 id="load-balancers" tabindex="-1">Load balancers <a class="header-anchor" href="#load-balancers" aria-label="Permalink to &quot;Load balancers&quot;">​</a></h2><p>Round robin works, because nodes forward. Routing each sandbox to one node saves that hop. Set <code>CAIRN_TRUST_PROXY</code> to the balancer&#39;s address. <code>npm run test:balancers</code> runs both configurations with nginx 1.22 and HAProxy 2.6.</p><p>nginx, in <code>http</code>:</p><div class="language-nginx vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">nginx</span><pre><code>map $uri $sandbox {
  ~/(?&lt;id&gt;sbx_[0-9a-v]+) $id;
  default                $request_id;
}
upstream cairn {
  hash $sandbox consistent;
  server 10.0.0.3:8484 max_fails=2 fail_timeout=5s;
  server 10.0.0.4:8484 max_fails=2 fail_timeout=5s;
  keepalive 64;
}
server {
  listen 80;
  client_max_body_size 0;
  location / {
    proxy_pass http://cairn;
    proxy_http_version 1.1;
    proxy_set_header Connection &quot;&quot;;
    proxy_set_header Host $host;
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_set_header X-Forwarded-Proto $scheme;
    proxy_request_buffering off;
    proxy_buffering off;
    proxy_read_timeout 120s;
  }
}
</code></pre></div><p>HAProxy:</p><div class="language-haproxy vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">haproxy</span><pre><code>defaults
  mode http
  timeout connect 2s
  timeout client 120s
  timeout server 120s
  option forwardfor
frontend cairn_in
  bind :80
  default_backend cairn
backend cairn
  http-request set-header X-Forwarded-Proto http
  http-request set-var(txn.sandbox) path,field(6,/) if { path_beg /api/v1/storage/sandboxes/ /api/v1/query/sandboxes/ }
  http-request set-var(txn.sandbox) path,field(3,/) if { path_beg /mcp/ }
  balance hash var(txn.sandbox)
  hash-type consistent
  option httpchk GET /readyz
  default-server check inter 1s fall 2 rise 1
  server one 10.0.0.3:8484
  server two 10.0.0.4:8484
</code></pre></div><h2 id="start-stop-and-upgrade" tabindex="-1">Start, stop and upgrade <a class="header-anchor" href="#start-stop-and-upgrade" aria-label="Permalink to &quot;Start, stop and upgrade&quot;">​</a></h2><p>Each node sends a heartbeat every second. After four seconds without one, other nodes take its leases and sandboxes. On SIGTERM a process first gives up its leases, then answers for <code>CAIRN_DRAIN_SECONDS</code>, which must be longer than the balancer needs to notice <code>/readyz</code>.</p><p>To upgrade, start new processes next to the old ones and stop those one by one. A migration whose first line says that it <strong>expands</strong> lets older processes continue and start again. Others need all old processes to be stopped; the changelog names them. A migration waits three seconds for locks, retries for a minute, and then ends the start with an explanation.</p><h2 id="sizing" tabindex="-1">Sizing <a class="header-anchor" href="#sizing" aria-label="Permalink to &quot;Sizing&quot;">​</a></h2><p>Memory limits how many sandboxes a process can serve, and CPU how fast. The <a href="./measurements#scale">measurements</a> have the bytes per record and the <a href="./measurements#capacity">capacity model</a> computes nodes and costs. Memory usually decides: prefer machines with much memory per core. One batch of a hundred records costs as many store requests as one record.</p><table tabindex="0"><thead><tr><th>setting</th><th>effect</th></tr></thead><tbody><tr><td><code>CAIRN_GRAPH_MIB</code>, <code>CAIRN_RECORD_CACHE_MIB</code>, <code>CAIRN_STORE_CACHE_MIB</code></td><td>memory for indexes, records and LanceDB&#39;s metadata</td></tr><tr><td><code>CAIRN_CACHE_MIB</code></td><td>disk cache for index snapshots of a bucket</td></tr><tr><td><code>CAIRN_RANK_THREADS</code></td><td>threads that rank in sandboxes of 100 000 records or more</td></tr><tr><td><code>CAIRN_DATABASE_CONNECTIONS</code></td><td>connections to PostgreSQL, plus one for notifications</td></tr><tr><td><code>CAIRN_COMMITS_AT_ONCE</code></td><td>sandboxes whose records are applied concurrently</td></tr><tr><td><code>CAIRN_LEASE_SECONDS</code></td><td>how long a hanging process blocks its sandboxes</td></tr><tr><td><code>CAIRN_UPKEEP_COMMITS</code>, <code>CAIRN_UPKEEP_REST_SECONDS</code></td><td>when datasets are compacted: less often saves store requests and slows questions</td></tr></tbody></table><h2 id="limits" tabindex="-1">Limits <a class="header-anchor" href="#limits" aria-label="Permalink to &quot;Limits&quot;">​</a></h2><ul><li>One question is ranked on one thread; beyond four cores run another process.</li><li>Processes notify each other with <code>LISTEN</code>. Through a pooler they poll once per second instead; <code>DATABASE_DIRECT_URL</code> bypasses it.</li><li>One sandbox must fit in one process: about 16 million short records. A larger one is rejected (<a href="./operating#index-memory-and-sandbox-size">memory</a>); split it into several sandboxes.</li><li>Envoy has not been tested; use <code>hash_policy</code> with <code>ring_hash</code> or <code>maglev</code>.</li></ul>`,25)])])}const m=o(r,[["render",n]]);export{u as __pageData,m as default};
