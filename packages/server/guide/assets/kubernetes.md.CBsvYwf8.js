import{_ as t,o as a,c as n,ag as o}from"./chunks/framework.BSWkqPOH.js";const m=JSON.parse('{"title":"Kubernetes","description":"","frontmatter":{},"headers":[],"relativePath":"kubernetes.md","filePath":"kubernetes.md"}'),r={name:"kubernetes.md"};function s(i,e,p,c,l,u){return a(),n("div",null,[...e[0]||(e[0]=[o(`<h1 id="kubernetes" tabindex="-1">Kubernetes <a class="header-anchor" href="#kubernetes" aria-label="Permalink to &quot;Kubernetes&quot;">​</a></h1><p>Build the image, push it to your registry, and apply one of the two manifests below. Replace <code>registry.example.com/cairn:0.1.0</code> with the name of your image.</p><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre><code>docker build -f deploy/Containerfile -t registry.example.com/cairn:0.1.0 .
docker push registry.example.com/cairn:0.1.0
</code></pre></div><p>Both run as user 1000 with a read-only root file system. The manifests have not been tested on a cluster.</p><h2 id="one-process-with-a-volume" tabindex="-1">One process with a volume <a class="header-anchor" href="#one-process-with-a-volume" aria-label="Permalink to &quot;One process with a volume&quot;">​</a></h2><p>One pod stores everything in its volume. Never run more than one replica: the data folder belongs to one process.</p><div class="language-yaml vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">yaml</span><pre><code>apiVersion: apps/v1
kind: StatefulSet
metadata: { name: cairn }
spec:
  serviceName: cairn
  replicas: 1
  selector: { matchLabels: { app: cairn } }
  template:
    metadata: { labels: { app: cairn } }
    spec:
      terminationGracePeriodSeconds: 60
      securityContext: { runAsNonRoot: true, runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000 }
      containers:
        - name: cairn
          image: registry.example.com/cairn:0.1.0
          ports: [{ name: http, containerPort: 8484 }]
          securityContext:
            { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: [ALL] } }
          env: [{ name: CAIRN_PUBLIC_URL, value: &quot;https://cairn.example.com&quot; }]
          startupProbe: { httpGet: { path: /readyz, port: http }, periodSeconds: 5, failureThreshold: 60 }
          readinessProbe: { httpGet: { path: /readyz, port: http }, periodSeconds: 5 }
          livenessProbe: { httpGet: { path: /healthz, port: http }, periodSeconds: 15, failureThreshold: 4 }
          resources: { requests: { cpu: &quot;1&quot;, memory: 1Gi }, limits: { memory: 2Gi } }
          volumeMounts: [{ name: data, mountPath: /data, subPath: cairn }, { name: tmp, mountPath: /tmp }]
      volumes: [{ name: tmp, emptyDir: {} }]
  volumeClaimTemplates:
    - metadata: { name: data }
      spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 20Gi } } }
---
apiVersion: v1
kind: Service
metadata: { name: cairn }
spec: { selector: { app: cairn }, ports: [{ name: http, port: 8484, targetPort: http }] }
</code></pre></div><p>The key of the first account is printed once: <code>kubectl logs cairn-0</code>. If it is lost: <code>kubectl exec cairn-0 -- cairn keys reset</code>.</p><h2 id="several-processes-on-postgresql-and-s3" tabindex="-1">Several processes on PostgreSQL and S3 <a class="header-anchor" href="#several-processes-on-postgresql-and-s3" aria-label="Permalink to &quot;Several processes on PostgreSQL and S3&quot;">​</a></h2><p>Create the secret first. Keep a copy of the master key elsewhere: without it, encrypted data cannot be read.</p><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre><code>kubectl create secret generic cairn \\
  --from-literal=CAIRN_MASTER_KEY=&quot;$(openssl rand -base64 32)&quot; --from-literal=CAIRN_ADMIN_KEY=&quot;$(openssl rand -hex 32)&quot; \\
  --from-literal=DATABASE_URL=&quot;postgresql://cairn:PASSWORD@postgres.example.com/cairn?sslmode=verify-full&quot; \\
  --from-literal=STORAGE_URL=&quot;s3://BUCKET/knowledge&quot; --from-literal=AWS_REGION=&quot;eu-central-1&quot; \\
  --from-literal=AWS_ACCESS_KEY_ID=&quot;…&quot; --from-literal=AWS_SECRET_ACCESS_KEY=&quot;…&quot;
</code></pre></div><p>On EKS, omit the two access keys and give the pods a service account with a role (<a href="./operating#credentials-for-the-bucket">credentials for the bucket</a>).</p><div class="language-yaml vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">yaml</span><pre><code>apiVersion: apps/v1
kind: Deployment
metadata: { name: cairn }
spec:
  replicas: 2
  selector: { matchLabels: { app: cairn } }
  template:
    metadata: { labels: { app: cairn } }
    spec:
      terminationGracePeriodSeconds: 60
      securityContext: { runAsNonRoot: true, runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000 }
      containers:
        - name: cairn
          image: registry.example.com/cairn:0.1.0
          ports: [{ name: http, containerPort: 8484 }]
          securityContext:
            { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: [ALL] } }
          envFrom: [{ secretRef: { name: cairn } }]
          env:
            - { name: POD_IP, valueFrom: { fieldRef: { fieldPath: status.podIP } } }
            - { name: CAIRN_NODE_URL, value: &quot;http://$(POD_IP):8484&quot; }
            - { name: CAIRN_PUBLIC_URL, value: &quot;https://cairn.example.com&quot; }
            - { name: CAIRN_TRUST_PROXY, value: &quot;10.0.0.0/8&quot; }
          startupProbe: { httpGet: { path: /readyz, port: http }, periodSeconds: 5, failureThreshold: 60 }
          readinessProbe: { httpGet: { path: /readyz, port: http }, periodSeconds: 5 }
          livenessProbe: { httpGet: { path: /healthz, port: http }, periodSeconds: 15, failureThreshold: 4 }
          resources: { requests: { cpu: &quot;1&quot;, memory: 2Gi }, limits: { memory: 4Gi } }
          volumeMounts: [{ name: data, mountPath: /data }, { name: tmp, mountPath: /tmp }]
      volumes: [{ name: data, emptyDir: { sizeLimit: 20Gi } }, { name: tmp, emptyDir: {} }]
</code></pre></div><p>Use the Service of the first manifest. <code>/data</code> of these pods has only uploads in progress and caches, so an <code>emptyDir</code> is sufficient. Create the first account with <code>kubectl exec deploy/cairn -- cairn accounts create</code>. An Ingress needs the same as <a href="./proxy">any proxy</a>: no buffering, no body limit and a timeout of 120 s. The annotations for ingress-nginx are:</p><div class="language-yaml vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">yaml</span><pre><code>nginx.ingress.kubernetes.io/proxy-body-size: &quot;0&quot;
nginx.ingress.kubernetes.io/proxy-buffering: &quot;off&quot;
nginx.ingress.kubernetes.io/proxy-request-buffering: &quot;off&quot;
nginx.ingress.kubernetes.io/proxy-read-timeout: &quot;120&quot;
</code></pre></div>`,15)])])}const h=t(r,[["render",s]]);export{m as __pageData,h as default};
