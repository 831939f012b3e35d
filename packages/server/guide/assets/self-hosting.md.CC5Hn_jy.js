import{_ as o,o as a,c as s,ag as t}from"./chunks/framework.BSWkqPOH.js";const m=JSON.parse('{"title":"Self-host","description":"","frontmatter":{},"headers":[],"relativePath":"self-hosting.md","filePath":"self-hosting.md"}'),n={name:"self-hosting.md"};function c(r,e,d,p,i,l){return a(),s("div",null,[...e[0]||(e[0]=[t(`<h1 id="self-host" tabindex="-1">Self-host <a class="header-anchor" href="#self-host" aria-label="Permalink to &quot;Self-host&quot;">​</a></h1><p>Run Cairn as one container, with Docker Compose, or as a systemd service. It listens on this machine only until you put a <a href="./proxy">TLS proxy</a> in front of it.</p><h2 id="one-container" tabindex="-1">One container <a class="header-anchor" href="#one-container" aria-label="Permalink to &quot;One container&quot;">​</a></h2><p>From the root of a clone:</p><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre><code>docker build -f deploy/Containerfile -t cairn .
docker run --name cairn --detach --init --restart unless-stopped -p 127.0.0.1:8484:8484 -v cairn:/data cairn
docker logs cairn
</code></pre></div><p>It runs as user 1000 and stores everything in the volume <code>/data</code>. The first start prints the API key of the first account once (<code>docker logs cairn 2&gt; /dev/null</code>). If it is lost: <code>docker exec cairn cairn keys reset</code>.</p><p>Back up while it is stopped:</p><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre><code>docker stop -t 60 cairn
docker run --rm -v cairn:/data -v &quot;$PWD&quot;:/copy --user root cairn backup /copy/cairn.backup --with-keys
docker start cairn
</code></pre></div><h2 id="on-postgresql-and-an-s3-server" tabindex="-1">On PostgreSQL and an S3 server <a class="header-anchor" href="#on-postgresql-and-an-s3-server" aria-label="Permalink to &quot;On PostgreSQL and an S3 server&quot;">​</a></h2><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre><code>cat &gt; deploy/.env &lt;&lt;END
POSTGRES_PASSWORD=$(openssl rand -hex 24)
S3_SECRET_KEY=$(openssl rand -hex 24)
CAIRN_ADMIN_KEY=$(openssl rand -hex 32)
CAIRN_MASTER_KEY=$(openssl rand -base64 32)
END
chmod 600 deploy/.env
docker compose -f deploy/compose.yaml up --build --detach
docker compose -f deploy/compose.yaml logs cairn
</code></pre></div><p>Keep a copy of <code>CAIRN_MASTER_KEY</code> elsewhere: encrypted data cannot be decrypted without it. Create the first account, which prints its API key once, and a profile in the container:</p><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre><code>docker compose -f deploy/compose.yaml exec cairn cairn accounts create --display-name &quot;Ada Berg&quot;
docker compose -f deploy/compose.yaml exec cairn cairn init --sandbox Notes
docker compose -f deploy/compose.yaml exec -T cairn cairn add - &lt; minutes.txt
docker compose -f deploy/compose.yaml exec cairn cairn ask &quot;What was decided?&quot;
</code></pre></div><p>To use your own S3 server, set <code>S3_ENDPOINT</code>, <code>STORAGE_URL</code> and the keys, and remove <code>s3</code> and <code>bucket</code>. It must support conditional writes. See also <a href="./postgres#several-processes">several processes</a>.</p><h3 id="backups-with-compose" tabindex="-1">Backups with Compose <a class="header-anchor" href="#backups-with-compose" aria-label="Permalink to &quot;Backups with Compose&quot;">​</a></h3><p>Back up the database first, then the objects: <a href="./backups#what-a-repair-does">a repair</a> can use objects that are newer than the database.</p><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre><code>docker compose -f deploy/compose.yaml exec -T postgres pg_dumpall --username=postgres &gt; cairn.sql
docker run --rm -v cairn_objects:/objects:ro -v &quot;$PWD&quot;:/copy debian:bookworm-slim tar -C /objects -czf /copy/cairn-objects.tar.gz .
cp deploy/.env cairn-secrets.env       # keep it apart from the two others
</code></pre></div><p>To restore into new volumes (<code>psql</code> reports that the user and the database already exist, and continues):</p><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre><code>docker compose -f deploy/compose.yaml down --volumes
docker run --rm -v cairn_objects:/objects -v &quot;$PWD&quot;:/copy debian:bookworm-slim tar -C /objects -xzf /copy/cairn-objects.tar.gz
docker compose -f deploy/compose.yaml up --detach postgres s3
docker compose -f deploy/compose.yaml exec -T postgres psql --username=postgres &lt; cairn.sql
docker compose -f deploy/compose.yaml run --rm cairn repair --apply
docker compose -f deploy/compose.yaml up --detach
</code></pre></div><p>For a consistent copy of the objects, stop <code>s3</code> while <code>tar</code> runs.</p><h2 id="systemd" tabindex="-1">systemd <a class="header-anchor" href="#systemd" aria-label="Permalink to &quot;systemd&quot;">​</a></h2><p>With Node 20.19 or newer in <code>/usr/bin</code> or <code>/usr/local/bin</code>:</p><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre><code>npm install --prefix /opt/cairn --omit=dev cairnstore @cairnstore/server
cp deploy/cairn.service /etc/systemd/system/
systemctl enable --now cairn
journalctl -u cairn
</code></pre></div><p>Until the packages are published, <code>npm pack --workspaces --pack-destination FOLDER</code> in a clone makes tarballs to install instead. The service writes only to <code>/var/lib/cairn</code>. Settings are lines <code>NAME=value</code> in <code>/etc/cairn/cairn.env</code>, readable by root only. If the key is lost: <code>CAIRN_DATA=/var/lib/cairn /opt/cairn/node_modules/.bin/cairn keys reset</code> as root.</p><h2 id="limits" tabindex="-1">Limits <a class="header-anchor" href="#limits" aria-label="Permalink to &quot;Limits&quot;">​</a></h2><p>Not tested: Docker and Compose themselves, processors other than x64, SeaweedFS, and the unit under a running systemd.</p>`,25)])])}const u=o(n,[["render",c]]);export{m as __pageData,u as default};
