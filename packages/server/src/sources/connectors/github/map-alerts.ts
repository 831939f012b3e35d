import { idOf, type MappingResult, thing, toRecord } from '../draft.ts'
import { list, moment, pick, present, text } from '../pick.ts'
import { account, fullName, repository } from './things.ts'

/** Alerts of a repository: code scanning, dependencies, exposed secrets. The secret itself is never taken. */
export function mapAlert(payload: unknown, event: string): MappingResult {
  const alert = pick(payload, 'alert')
  const id = text(alert, 'number') ?? text(alert, 'id')
  const advisory = pick(alert, 'security_advisory')
  const [kind] = event.split('.', 1)
  const dependency =
    text(alert, 'dependency', 'package', 'name') ??
    text(alert, 'security_vulnerability', 'package', 'name') ??
    text(alert, 'affected_package_name')
  const title =
    text(advisory, 'summary') ??
    text(alert, 'rule', 'description') ??
    text(alert, 'secret_type_display_name') ??
    text(alert, 'external_identifier')
  return toRecord({
    externalId: idOf(kind, fullName(payload), id),
    type: 'alert',
    title: title ?? `${kind} ${id} of ${fullName(payload)}`,
    text: text(advisory, 'description') ?? text(alert, 'rule', 'full_description'),
    url: text(alert, 'html_url') ?? text(alert, 'external_reference'),
    occurredAt: moment(alert, 'created_at'),
    asOf: moment(alert, 'updated_at') ?? moment(alert, 'dismissed_at') ?? moment(alert, 'fixed_at'),
    author: account(pick(alert, 'dismissed_by')) ?? account(pick(payload, 'sender')),
    entities: [repository(pick(payload, 'repository')), thing('package', dependency), vulnerability(alert)],
    properties: {
      state: text(alert, 'state') ?? (text(alert, 'dismissed_at') ? 'dismissed' : text(payload, 'action')),
      severity: text(advisory, 'severity') ?? text(alert, 'rule', 'severity') ?? text(alert, 'severity'),
      package: dependency,
      fixed_in: text(alert, 'security_vulnerability', 'first_patched_version', 'identifier') ?? text(alert, 'fixed_in'),
      tool: text(alert, 'tool', 'name'),
      dismissed_reason: text(alert, 'dismissed_reason'),
    },
  })
}

/** `security_advisory` and `repository_advisory`: a vulnerability that was made known, anywhere or in a repository. */
export function mapAdvisory(payload: unknown): MappingResult {
  const advisory = pick(payload, 'security_advisory') ?? pick(payload, 'repository_advisory')
  const id = text(advisory, 'ghsa_id')
  const packages = present(list(advisory, 'vulnerabilities').map((one) => text(one, 'package', 'name')))
  return toRecord({
    externalId: idOf('advisory', id),
    type: 'advisory',
    title: text(advisory, 'summary') ?? id,
    text: text(advisory, 'description'),
    url: text(advisory, 'html_url') ?? text(advisory, 'references', 0, 'url'),
    occurredAt: moment(advisory, 'published_at'),
    asOf: moment(advisory, 'updated_at'),
    author: account(pick(advisory, 'author')),
    entities: [
      repository(pick(payload, 'repository')),
      thing('vulnerability', id, { key: id }, { aliases: [text(advisory, 'cve_id')] }),
      ...packages.map((name) => thing('package', name)),
    ],
    properties: {
      state: moment(advisory, 'withdrawn_at') ? 'withdrawn' : (text(advisory, 'state') ?? text(payload, 'action')),
      severity: text(advisory, 'severity'),
      packages: [...new Set(packages)],
    },
  })
}

function vulnerability(alert: unknown) {
  const id = text(alert, 'security_advisory', 'ghsa_id') ?? text(alert, 'ghsa_id')
  const cve = text(alert, 'security_advisory', 'cve_id') ?? text(alert, 'external_identifier')
  return thing('vulnerability', id ?? cve, { key: id ?? cve }, { aliases: [cve] })
}
