{{- define "cairn.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{- define "cairn.selector" -}}
app.kubernetes.io/name: cairn
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "cairn.labels" -}}
{{ include "cairn.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{/* The role that serves users: `api` in cluster mode, `all` in single mode. */}}
{{- define "cairn.servingRole" -}}
{{- if eq .Values.mode "cluster" }}api{{ else }}all{{ end -}}
{{- end }}

{{/* Pod template. Takes the root, the role, its resources and the size of its scratch volume, or no size in single mode. */}}
{{- define "cairn.pod" -}}
{{- $ := .root -}}
metadata:
  labels:
    {{- include "cairn.labels" $ | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
  {{- with $.Values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "cairn.name" $ }}
  automountServiceAccountToken: false
  terminationGracePeriodSeconds: 60
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    fsGroup: 1000
    seccompProfile: { type: RuntimeDefault }
  {{- with $.Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $.Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $.Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if .scratchSize }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "cairn.selector" $ | nindent 10 }}
          app.kubernetes.io/component: {{ .role }}
  {{- end }}
  containers:
    - name: cairn
      image: "{{ $.Values.image.repository }}:{{ $.Values.image.tag | default $.Chart.AppVersion }}"
      imagePullPolicy: {{ $.Values.image.pullPolicy }}
      ports:
        - { name: http, containerPort: 8484 }
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      {{- with $.Values.existingSecret }}
      envFrom:
        - secretRef: { name: {{ . }} }
      {{- end }}
      env:
        - { name: CAIRN_ROLE, value: {{ .role }} }
        - { name: CAIRN_PUBLIC_URL, value: {{ required "publicUrl is empty. Set it to the address under which users reach the service." $.Values.publicUrl | quote }} }
        {{- if .scratchSize }}
        - { name: POD_IP, valueFrom: { fieldRef: { fieldPath: status.podIP } } }
        - { name: CAIRN_NODE_URL, value: "http://$(POD_IP):8484" }
        {{- end }}
        {{- range $name, $value := $.Values.settings }}
        - { name: {{ $name }}, value: {{ $value | quote }} }
        {{- end }}
      startupProbe:
        httpGet: { path: /readyz, port: http }
        periodSeconds: 5
        failureThreshold: 60
      readinessProbe:
        httpGet: { path: /readyz, port: http }
        periodSeconds: 5
      livenessProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 15
        failureThreshold: 4
      resources:
        {{- toYaml .resources | nindent 8 }}
      volumeMounts:
        - { name: data, mountPath: /data{{ if not .scratchSize }}, subPath: cairn{{ end }} }
        - { name: tmp, mountPath: /tmp }
  volumes:
    {{- if .scratchSize }}
    - name: data
      emptyDir: { sizeLimit: {{ .scratchSize }} }
    {{- end }}
    - name: tmp
      emptyDir: {}
{{- end }}
