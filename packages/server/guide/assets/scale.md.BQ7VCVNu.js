import{_ as a,o,c as s,ag as t}from"./chunks/framework.BSWkqPOH.js";const u=JSON.parse('{"title":"Several processes","description":"","frontmatter":{},"headers":[],"relativePath":"scale.md","filePath":"scale.md"}'),n={name:"scale.md"};function r(d,e,i,c,h,l){return o(),s("div",null,[...e[0]||(e[0]=[t(`<h1 id="several-processes" tabindex="-1">Several processes <a class="header-anchor" href="#several-processes" aria-label="Permalink to &quot;Several processes&quot;">​</a></h1><p>Processes that share one PostgreSQL and one S3-compatible store are one service: each answers any request. Start every process with its own data folder and address:</p><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre><code>DATABASE_URL=postgresql://cairn@db.internal/cairn STORAGE_URL=s3://bucket/cairn CAIRN_MASTER_KEY=… \\
  CAIRN_PUBLIC_URL=https://cairn.example.com CAIRN_NODE_URL=http://10.0.0.3:8484 cairn serve
cairn doctor --cluster
</code></pre></div><p><code>DATABASE_URL</code>, <code>STORAGE_URL</code> with its keys, <code>CAIRN_MASTER_KEY</code>, <code>CAIRN_PUBLIC_URL</code> and <code>CAIRN_LIMITS</code> must be equal everywhere. See also <a href="./postgres">PostgreSQL</a> and <a href="./kubernetes">Kubernetes</a>.</p><h2 id="home-nodes" tabindex="-1">Home nodes <a class="header-anchor" href="#home-nodes" aria-label="Permalink to &quot;Home nodes&quot;">​</a></h2><p>A process with <code>CAIRN_NODE_URL</code> is a <strong>node</strong>. Each sandbox has one home node, found by rendezvous hashing of its id over the live nodes. Only the home node holds its index in memory, so N nodes hold N times as many sandboxes.</p><ul><li>Questions, records, imports and MCP requests are forwarded once to the home node, which authorizes and counts them. Other requests are answered where they arrive.</li><li>If the home node is unreachable, the receiving node answers after at most one second. If a connection breaks after sending, safe requests are repeated. Others get 503.</li><li>Requests with a <a href="./caller-keys">customer-managed key</a> are never forwarded.</li><li>Records are applied at the home node. If it does not accept a batch within a second, the receiving node applies it.</li></ul><p>Traffic between nodes contains credentials and content. With <code>http://</code> use a private network.</p><h2 id="roles" tabindex="-1">Roles <a class="header-anchor" href="#roles" aria-label="Permalink to &quot;Roles&quot;">​</a></h2><p><code>CAIRN_ROLE</code> is <code>all</code> by default. An <code>api</code> process answers requests and does no background work. A <code>worker</code> applies records, polls sources, compacts storage, erases data and sends webhooks. It needs <code>CAIRN_NODE_URL</code> and answers only <code>/healthz</code>, <code>/readyz</code>, <code>/metrics</code> and forwarded requests: point the load balancer at the others.</p><p>A sandbox has a home node among the workers and one among the others. Both need memory for the index. Without a live worker, records are accepted and wait.</p><h2 id="load-balancers" tabindex="-1">Load balancers <a class="header-anchor" href="#load-balancers" aria-label="Permalink to &quot;Load balancers&quot;">​</a></h2><p>Round robin works. Routing each sandbox to one node saves the forwarding hop. Set <code>CAIRN_TRUST_PROXY</code> to the balancer&#39;s address. <code>npm run test:balancers</code> tests both configurations with nginx 1.22 and HAProxy 2.6.</p><p>nginx, in <code>http</code>:</p><div class="language-nginx vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">nginx</span><pre><code>map $uri $sandbox {
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
</code></pre></div><h2 id="start-stop-and-upgrade" tabindex="-1">Start, stop and upgrade <a class="header-anchor" href="#start-stop-and-upgrade" aria-label="Permalink to &quot;Start, stop and upgrade&quot;">​</a></h2><p>Each node sends a heartbeat every second. After four seconds without one, other nodes take over its leases and sandboxes. On SIGTERM a process releases its leases, then answers for <code>CAIRN_DRAIN_SECONDS</code>. Set it longer than the balancer needs to notice <code>/readyz</code>.</p><p>To upgrade, start new processes next to the old ones, then stop those one by one. This works if the migration&#39;s first line says that it <strong>expands</strong>. Otherwise stop all old processes first; the changelog names such migrations.</p><h2 id="sizing" tabindex="-1">Sizing <a class="header-anchor" href="#sizing" aria-label="Permalink to &quot;Sizing&quot;">​</a></h2><p>See the <a href="./measurements#scale">bytes per record</a> and the <a href="./measurements#capacity">capacity model</a>. Adjust memory with <code>CAIRN_GRAPH_MIB</code>, <code>CAIRN_RECORD_CACHE_MIB</code> and <code>CAIRN_STORE_CACHE_MIB</code>, CPU with <code>CAIRN_RANK_THREADS</code> and <code>CAIRN_COMMITS_AT_ONCE</code>, and compaction with <code>CAIRN_COMPACTION_COMMITS</code> and <code>CAIRN_COMPACTION_IDLE_SECONDS</code> (<a href="./settings">settings</a>).</p><h2 id="limits" tabindex="-1">Limits <a class="header-anchor" href="#limits" aria-label="Permalink to &quot;Limits&quot;">​</a></h2><ul><li>One question is ranked on one thread. Beyond four cores run another process.</li><li>One sandbox must fit in one process: about 16 million short records. A larger one is rejected (<a href="./operating#index-memory-and-sandbox-size">memory</a>).</li><li>Envoy has not been tested.</li></ul>`,24)])])}const _=a(n,[["render",r]]);export{u as __pageData,_ as default};
