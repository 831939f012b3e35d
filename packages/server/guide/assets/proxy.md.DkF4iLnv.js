import{_ as t,o as r,c as a,ag as o}from"./chunks/framework.BSWkqPOH.js";const _=JSON.parse('{"title":"TLS proxy","description":"","frontmatter":{},"headers":[],"relativePath":"proxy.md","filePath":"proxy.md"}'),n={name:"proxy.md"};function s(d,e,i,c,p,l){return r(),a("div",null,[...e[0]||(e[0]=[o(`<h1 id="tls-proxy" tabindex="-1">TLS proxy <a class="header-anchor" href="#tls-proxy" aria-label="Permalink to &quot;TLS proxy&quot;">​</a></h1><p>Cairn serves plain HTTP. For clients on other machines, put a TLS proxy in front of it. Set two <a href="./settings">settings</a> so that links and client addresses are correct:</p><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre><code>CAIRN_PUBLIC_URL=https://cairn.example.com
CAIRN_TRUST_PROXY=127.0.0.1          # the addresses that the proxy connects from
</code></pre></div><p>Requirements for any proxy:</p><table tabindex="0"><thead><tr><th>Requirement</th><th>Why</th></tr></thead><tbody><tr><td>forward responses without buffering</td><td>answers are streamed as server-sent events</td></tr><tr><td>allow bodies of 1 GiB, or set no limit, and do not buffer requests</td><td>imports are streamed; Cairn enforces its own limits with 413</td></tr><tr><td>wait 120 s for the first byte of a response</td><td><code>Prefer: wait=60</code> keeps a request open for a minute</td></tr><tr><td>set <code>X-Forwarded-For</code> and <code>X-Forwarded-Proto</code>, and overwrite the values of the client</td><td>Cairn limits rates per address and rejects keys over plain HTTP</td></tr><tr><td>use HTTP/1.1 keep-alive connections to Cairn</td><td>a connection per request costs time</td></tr></tbody></table><h2 id="nginx" tabindex="-1">nginx <a class="header-anchor" href="#nginx" aria-label="Permalink to &quot;nginx&quot;">​</a></h2><div class="language-nginx vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">nginx</span><pre><code>upstream cairn {
  server 127.0.0.1:8484;
  keepalive 64;
}
server {
  listen 443 ssl;
  server_name cairn.example.com;
  ssl_certificate     /etc/letsencrypt/live/cairn.example.com/fullchain.pem;
  ssl_certificate_key /etc/letsencrypt/live/cairn.example.com/privkey.pem;
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
</code></pre></div><h2 id="caddy" tabindex="-1">Caddy <a class="header-anchor" href="#caddy" aria-label="Permalink to &quot;Caddy&quot;">​</a></h2><p>Caddy obtains the certificate, sets the headers and has no body limit:</p><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre><code>cairn.example.com {
  reverse_proxy 127.0.0.1:8484 {
    flush_interval -1
    transport http {
      response_header_timeout 120s
    }
  }
}
</code></pre></div><p>Test it with <code>cairn doctor</code> from another machine: <code>CAIRN_URL=https://cairn.example.com cairn doctor</code>. <a href="./scale">Several processes</a> has configurations that route each sandbox to its home node.</p>`,11)])])}const m=t(n,[["render",s]]);export{_ as __pageData,m as default};
