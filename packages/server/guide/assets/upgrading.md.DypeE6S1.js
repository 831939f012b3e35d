import{_ as a,o,c as r,ag as t}from"./chunks/framework.BSWkqPOH.js";const u=JSON.parse('{"title":"Upgrade","description":"","frontmatter":{},"headers":[],"relativePath":"upgrading.md","filePath":"upgrading.md"}'),n={name:"upgrading.md"};function c(s,e,i,d,p,l){return o(),r("div",null,[...e[0]||(e[0]=[t(`<h1 id="upgrade" tabindex="-1">Upgrade <a class="header-anchor" href="#upgrade" aria-label="Permalink to &quot;Upgrade&quot;">​</a></h1><p>Read <code>CHANGELOG.md</code>, make a backup, replace the program and start it. The first start of a newer version migrates the database and the data folder.</p><h2 id="a-clone" tabindex="-1">A clone <a class="header-anchor" href="#a-clone" aria-label="Permalink to &quot;A clone&quot;">​</a></h2><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre><code>cairn backup ~/cairn-before.backup --with-keys       # with the service stopped
git pull
npm start
</code></pre></div><h2 id="one-container" tabindex="-1">One container <a class="header-anchor" href="#one-container" aria-label="Permalink to &quot;One container&quot;">​</a></h2><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre><code>git pull
docker build -f deploy/Containerfile -t cairn:new .
docker stop -t 60 cairn
docker run --rm -v cairn:/data -v &quot;$PWD&quot;:/copy --user root cairn backup /copy/cairn-before.backup --with-keys
docker tag cairn cairn:before &amp;&amp; docker tag cairn:new cairn
docker rm cairn
docker run --name cairn --detach --init --restart unless-stopped -p 127.0.0.1:8484:8484 -v cairn:/data cairn
docker logs --follow cairn
</code></pre></div><p>To go back, remove the container, restore the backup into an empty volume and start <code>cairn:before</code> on it:</p><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre><code>docker rm --force cairn
docker run --rm -v cairn-before:/data -v &quot;$PWD&quot;:/copy --user root --env CAIRN_DATA=/data/restored cairn:before restore /copy/cairn-before.backup
docker run --rm -v cairn-before:/data --user root --entrypoint chown cairn:before -R 1000:1000 /data
docker run --name cairn --detach --init --restart unless-stopped -p 127.0.0.1:8484:8484 \\
  -v cairn-before:/data --env CAIRN_DATA=/data/restored cairn:before
</code></pre></div><h2 id="docker-compose" tabindex="-1">Docker Compose <a class="header-anchor" href="#docker-compose" aria-label="Permalink to &quot;Docker Compose&quot;">​</a></h2><p><a href="./self-hosting#backups-with-compose">Back up</a>, then:</p><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre><code>git pull
docker compose -f deploy/compose.yaml up --build --detach
docker compose -f deploy/compose.yaml exec cairn cairn doctor
</code></pre></div><h2 id="several-processes-on-one-database" tabindex="-1">Several processes on one database <a class="header-anchor" href="#several-processes-on-one-database" aria-label="Permalink to &quot;Several processes on one database&quot;">​</a></h2><p>Stop all processes. If the changelog says that both versions may run together, you can also replace them one by one. The first process of the newer version migrates the database. <code>cairn doctor --cluster</code> shows each version.</p><h2 id="limits" tabindex="-1">Limits <a class="header-anchor" href="#limits" aria-label="Permalink to &quot;Limits&quot;">​</a></h2><p>Only the backup lets you return to the older version.</p>`,15)])])}const m=a(n,[["render",c]]);export{u as __pageData,m as default};
