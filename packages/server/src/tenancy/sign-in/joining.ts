import { type Id, isAccountId, MEMBER_ROLES, type MemberRole } from '@cairnstore/contract'
import { sha256 } from '../../base/digest.ts'
import { Fault } from '../../base/fault.ts'
import type { OidcConfig } from '../../config/oidc.ts'
import { hasValues } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { lockAccount } from '../accounts/store.ts'
import type { TenancyCtx } from '../context.ts'
import { type FoundInvitation, recordAcceptance, takeInvitation } from '../members/accept-invitation.ts'
import { assertOtherOwner, claimPendingGrants, foldAddress, insertMember } from '../members/store.ts'
import type { Claims } from '../oidc/oidc.ts'

/** A person as described by the identity provider. */
export interface Identity {
  readonly issuer: string
  readonly subject: string
  readonly identityHash: Buffer
  readonly displayName: string
  /** Email address, if the provider has verified it. */
  readonly verifiedEmail: string | null
  /** Values of the groups claim. If the claim is missing (undefined), roles and groups stay unchanged. */
  readonly groups: readonly string[] | undefined
}

const NAME_CHARS_MAX = 255
const EMAIL_CHARS_MAX = 254
const SUBJECT_CHARS_MAX = 255
const GROUPS_MAX = 1000
const EMAIL = /^[^\s@]+@[^\s@]+$/
const UNSAFE = /[\p{Cc}\p{Cs}]/u

/** Returns the look-up digest of a person or session of the identity provider. */
export function providerHash(kind: 'sub' | 'sid', issuer: string, value: string): Buffer {
  return sha256(JSON.stringify([kind, issuer, value]))
}

/** Parses the claims of a person. Throws `groups_overage` for omitted or too many groups, and `exchange_failed`. */
export function identityOf(claims: Claims, { issuer, groupsClaim }: OidcConfig): Identity {
  const { sub } = claims
  if (sub.length > SUBJECT_CHARS_MAX || !isAccountId(sub))
    throw new Fault('exchange_failed', { note: 'unusable subject' })
  const email = textOf(claims.email, EMAIL_CHARS_MAX)
  const verifiedEmail = claims.email_verified === true && email !== undefined && EMAIL.test(email) ? email : null
  const name = [claims.name, claims.preferred_username, claims.email].map((each) => textOf(each, NAME_CHARS_MAX))
  return {
    issuer,
    subject: sub,
    identityHash: providerHash('sub', issuer, sub),
    displayName: name.find((each) => each !== undefined) ?? 'Member',
    verifiedEmail,
    groups: groupsIn(claims, groupsClaim),
  }
}

function textOf(value: unknown, charsMax: number): string | undefined {
  const isText = typeof value === 'string' && /\S/.test(value) && !UNSAFE.test(value)
  return isText ? [...value].slice(0, charsMax).join('') : undefined
}

function groupsIn(claims: Claims, name: string): string[] | undefined {
  const omitted = claims._claim_names
  const isOmitted = typeof omitted === 'object' && omitted !== null && name in omitted
  if (isOmitted || claims.hasgroups === true) throw new Fault('groups_overage')
  const given = claims[name]
  if (given === undefined) return undefined
  const listed = Array.isArray(given) ? given : [given]
  if (listed.length > GROUPS_MAX) throw new Fault('groups_overage')
  return listed.filter((each): each is string => typeof each === 'string' && each !== '')
}

/** A signed-in member and its account. */
export interface SignedInMember {
  readonly userId: string
  readonly memberId: Id<'member'>
  readonly hasJoined: boolean
}

/** Rules that allow a person to join an account, and the invitation if there is one. */
export interface JoiningRules {
  readonly config: OidcConfig
  /** Account that a person may join by group, email domain or the operator's list. */
  readonly joinedAccount: string | undefined
  readonly invitation: FoundInvitation | undefined
}

/**
 * Finds or creates the member for a person in an account, and updates its role and groups. Locks the account row, so
 * that concurrent sign-ins create one member. Throws `not_a_member` and `invitation_invalid`.
 */
export async function findOrCreateMember(
  tx: Tx,
  ctx: Pick<TenancyCtx, 'clock'>,
  userId: string,
  person: Identity,
  rules: JoiningRules,
): Promise<SignedInMember> {
  if ((await lockAccount(tx, userId)) !== 'active') throw new Fault('not_a_member')
  const known = await findMember(tx, userId, person)
  if (known && known.status !== 'active') throw new Fault('not_a_member')
  const roles = await rolesOf(tx, userId, person, rules)
  const memberId = known ? (known.id as Id<'member'>) : await join(tx, ctx, userId, person, { ...rules, roles })
  const now = ctx.clock.now()
  await tx
    .updateTable('member_identity')
    .set({ signed_in_at: now })
    .where(hasValues({ user_id: userId, identity_hash: person.identityHash }))
    .execute()
  await tx
    .updateTable('member')
    .set({ last_seen_at: now, ...(person.verifiedEmail !== null && { email: person.verifiedEmail }) })
    .where(hasValues({ user_id: userId, id: memberId }))
    .execute()
  if (known) await applyRole(tx, known, roles, person)
  if (person.groups) await applyGroups(tx, userId, memberId, person.groups)
  return { userId, memberId, hasJoined: known === undefined }
}

async function findMember(tx: Tx, userId: string, { identityHash }: Identity): Promise<Row<'member'> | undefined> {
  return tx
    .selectFrom('member_identity as identity')
    .innerJoin('member', (join) =>
      join.onRef('member.user_id', '=', 'identity.user_id').onRef('member.id', '=', 'identity.member_id'),
    )
    .selectAll('member')
    .where('identity.user_id', '=', userId)
    .where('identity.identity_hash', '=', identityHash)
    .executeTakeFirst()
}

/** Roles granted by the operator's list and by a person's groups. */
interface ClaimedRoles {
  readonly isAdmin: boolean
  /** Most powerful role of the person's groups. */
  readonly byGroup: MemberRole | undefined
}

async function rolesOf(
  tx: Tx,
  userId: string,
  { subject, verifiedEmail, groups = [] }: Identity,
  { config, joinedAccount }: JoiningRules,
): Promise<ClaimedRoles> {
  const isJoined = userId === joinedAccount
  // Some providers let people choose their subject, so an entry with @ matches only a verified address.
  const isListed = (entry: string) =>
    entry.includes('@')
      ? verifiedEmail !== null && foldAddress(entry) === foldAddress(verifiedEmail)
      : entry === subject
  const isAdmin = isJoined && config.admins.some(isListed)
  const rules = await tx.selectFrom('group_role').select(['claim', 'role']).where('user_id', '=', userId).execute()
  const bySetting = isJoined ? Object.entries(config.groupRoles).map(([claim, role]) => ({ claim, role })) : []
  const given = [...rules, ...bySetting].filter(({ claim }) => groups.includes(claim)).map(({ role }) => role)
  return { isAdmin, byGroup: MEMBER_ROLES.find((role) => given.includes(role)) }
}

async function join(
  tx: Tx,
  ctx: Pick<TenancyCtx, 'clock'>,
  userId: string,
  person: Identity,
  { config, joinedAccount, invitation, roles }: JoiningRules & { roles: ClaimedRoles },
): Promise<Id<'member'>> {
  const now = ctx.clock.now()
  const invited = invitation && (await takeInvitation(tx, invitation, now))
  const byRule = userId === joinedAccount ? roleByRule(person, config, roles) : undefined
  const role = invited?.role ?? byRule
  if (role === undefined) throw new Fault('not_a_member')
  const email = person.verifiedEmail ?? invited?.email ?? null
  const groupIds = (invited?.group_ids ?? '').split(' ').filter((each) => each !== '')
  const createdBy = invited?.created_by ?? 'identity_provider'
  const memberId = await insertMember(tx, ctx, {
    userId,
    role,
    displayName: person.displayName,
    email,
    groupIds,
    createdBy,
  })
  if (invited) {
    await recordAcceptance(tx, invited, memberId, now)
    // The holder of the link received it at the invitation's address, even if the provider reports another address.
    if (invited.email !== null && invited.email !== email) await claimPendingGrants(tx, userId, memberId, invited.email)
  } else if (roles.byGroup === role && !roles.isAdmin) await recordRole(tx, userId, memberId, role, true)
  await tx
    .insertInto('member_identity')
    .values({
      user_id: userId,
      identity_hash: person.identityHash,
      member_id: memberId,
      issuer: person.issuer,
      subject: person.subject,
      created_at: now,
      signed_in_at: now,
    })
    .execute()
  return memberId
}

/** Returns the role of a person who joins without an invitation; undefined if that is not allowed. */
function roleByRule(
  { verifiedEmail }: Identity,
  { allowedDomains }: OidcConfig,
  { isAdmin, byGroup }: ClaimedRoles,
): MemberRole | undefined {
  if (isAdmin) return 'owner'
  if (byGroup) return byGroup
  const domain = verifiedEmail && foldAddress(verifiedEmail.slice(verifiedEmail.lastIndexOf('@') + 1))
  return domain && allowedDomains.includes(domain) ? 'member' : undefined
}

/** Applies the role of the person's groups. Lowers a role only if it came from a group. The last owner stays owner. */
async function applyRole(tx: Tx, member: Row<'member'>, { isAdmin, byGroup }: ClaimedRoles, person: Identity) {
  const role = isAdmin ? 'owner' : roleByGroups(member, byGroup, person)
  if (role === member.role) return
  if (member.role === 'owner') {
    const isLast = await assertOtherOwner(tx, member).then(
      () => false,
      (cause: unknown) => {
        if (cause instanceof Fault && cause.reason === 'last_owner') return true
        throw cause
      },
    )
    if (isLast) return
  }
  await recordRole(tx, member.user_id, member.id, role, !isAdmin)
}

function roleByGroups(
  { role, role_from_claim: isFromClaim }: Row<'member'>,
  byGroup: MemberRole | undefined,
  { groups }: Identity,
) {
  if (groups === undefined) return role
  if (byGroup === undefined) return isFromClaim ? 'viewer' : role
  const isHigher = MEMBER_ROLES.indexOf(byGroup) < MEMBER_ROLES.indexOf(role)
  return isFromClaim || isHigher ? byGroup : role
}

async function recordRole(tx: Tx, userId: string, memberId: string, role: MemberRole, isFromClaim: boolean) {
  await tx
    .updateTable('member')
    .set({ role, role_from_claim: isFromClaim })
    .where(hasValues({ user_id: userId, id: memberId }))
    .execute()
}

/** Adds the member to groups whose claim is present, and removes it from the others. */
async function applyGroups(tx: Tx, userId: string, memberId: string, claims: readonly string[]): Promise<void> {
  const groups = await tx
    .selectFrom('team_group')
    .select(['id', 'claim'])
    .where('user_id', '=', userId)
    .where('claim', 'is not', null)
    .execute()
  if (groups.length === 0) return
  const isNamed = ({ claim }: { claim: string | null }) => claim !== null && claims.includes(claim)
  await tx
    .deleteFrom('team_group_member')
    .where(hasValues({ user_id: userId, member_id: memberId }))
    .where(
      'group_id',
      'in',
      groups.map(({ id }) => id),
    )
    .execute()
  const named = groups.filter(isNamed)
  if (named.length === 0) return
  await tx
    .insertInto('team_group_member')
    .values(named.map(({ id }) => ({ user_id: userId, group_id: id, member_id: memberId })))
    .execute()
}
