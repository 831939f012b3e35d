import{_ as a,o as t,c as o,ag as r}from"./chunks/framework.BSWkqPOH.js";const _=JSON.parse('{"title":"TLS proxy","description":"","frontmatter":{},"headers":[],"relativePath":"proxy.md","filePath":"proxy.md"}'),n={name:"proxy.md"};function s(i,e,p,c,d,l){return t(),o("div",null,[...e[0]||(e[0]=[r(`<h1 id="tls-proxy" tabindex="-1">TLS proxy <a class="header-anchor" href="#tls-proxy" aria-label="Permalink to &quot;TLS proxy&quot;">​</a></h1><p>Put a TLS proxy in front of Cairn, which serves plain HTTP. Set two <a href="./settings">settings</a> so that links and client addresses are correct:</p><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre><code>CAIRN_PUBLIC_URL=https://cairn.example.com
CAIRN_TRUST_PROXY=127.0.0.1          # the addresses that the proxy connects from
</code></pre></div><p>Requirements for any proxy:</p><ul><li>forward responses without buffering, because answers are streamed</li><li>allow bodies of 1 GiB or more, and do not buffer requests</li><li>wait 120 s for the first byte of a response</li><li>overwrite <code>X-Forwarded-For</code> and <code>X-Forwarded-Proto</code> of the client</li><li>use HTTP/1.1 keep-alive connections to Cairn</li></ul><h2 id="nginx" tabindex="-1">nginx <a class="header-anchor" href="#nginx" aria-label="Permalink to &quot;nginx&quot;">​</a></h2><div class="language-nginx vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">nginx</span><pre><code>upstream cairn {
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
</code></pre></div><p>Test it from another machine: <code>CAIRN_URL=https://cairn.example.com cairn doctor</code>.</p><h2 id="limits" tabindex="-1">Limits <a class="header-anchor" href="#limits" aria-label="Permalink to &quot;Limits&quot;">​</a></h2><p>These configurations use one process. <a href="./scale">Several processes</a> need routing to the home node of each sandbox for the best speed.</p>`,13)])])}const m=a(n,[["render",s]]);export{_ as __pageData,m as default};
