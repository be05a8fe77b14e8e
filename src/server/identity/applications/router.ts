import { SetAllowedOriginsInput, SetAppAddressesInput } from '#contract/origins.ts';
import { NoInput } from '#contract/patients.ts';
import type { Scope } from '#contract/scopes.ts';
import {
  ApplicationIdInput,
  type ApplicationView,
  CreateApplicationInput,
  type NewSecretView,
  RevokeSecretInput,
  type SampleTokenView,
  UpdateApplicationInput,
} from '#contract/settings.ts';
import { switchOffApplicationEndpoints } from '#server/webhooks/index.ts';
import { requireAdmin } from '../../core/actor.ts';
import type { Context } from '../../core/context.ts';
import { sha256 } from '../../core/crypto.ts';
import type { Prisma, Tx } from '../../core/db.ts';
import { apiError, notFound } from '../../core/errors.ts';
import { newId, newToken } from '../../core/ids.ts';
import { record } from '../../core/record.ts';
import { recordAccess } from '../../core/record-access.ts';
import { noPatient, router } from '../../core/trpc.ts';
import { ACCESS_TOKEN_SECONDS } from '../tokens/claims.ts';
import { invalidateClient } from '../tokens/client-state.ts';
import { issueAccessToken } from '../tokens/issue-access-token.ts';
import { getConfigurationTokens } from './get-configuration-tokens.ts';
import { listAllowedOrigins, setAllowedOrigins } from './origins/allowed-origins.ts';
import { getAppAddresses, setAppAddresses } from './origins/app-addresses.ts';

/** The query that the presenter needs: the row with its live secrets, newest first. */
const withLiveSecrets = {
  secrets: { where: { revokedAt: null }, orderBy: { createdAt: 'desc' } },
} as const satisfies Prisma.ApplicationInclude;

type Row = Prisma.ApplicationGetPayload<{ include: typeof withLiveSecrets }>;

const presentApplication = (row: Row): ApplicationView => ({
  id: row.id,
  client_id: row.id,
  name: row.name,
  scopes: row.scopes as Scope[],
  secrets: row.secrets.map(({ id, hint, lastUsedAt, createdAt }) => ({
    id,
    hint,
    last_used_at: lastUsedAt?.toISOString() ?? null,
    created_at: createdAt.toISOString(),
  })),
  last_used_at: row.lastUsedAt?.toISOString() ?? null,
  revoked_at: row.revokedAt?.toISOString() ?? null,
  created_at: row.createdAt.toISOString(),
});

/** Reads a server application of the tenant and locks it, so that concurrent changes are serialized. */
async function lockApplication(tx: Tx, ctx: Context, id: string) {
  await tx.$queryRaw`select id from applications where id = ${id}::uuid for update`;
  const row = await tx.application.findFirst({
    where: { tenantId: ctx.tenantId, id, kind: 'server' },
    include: withLiveSecrets,
  });
  if (!row) throw notFound('application');
  return row;
}

const HINT_LENGTH = 4;
/** One in use and its successor. */
const MAX_LIVE_SECRETS = 2;

/** Creates a secret of 256 random bits. A plain SHA-256 is enough to store, because 2^256 values cannot be searched. */
function makeClientSecret(now: Date) {
  const secret = `cs_${newToken()}`;
  return {
    secret,
    row: { id: newId(now), hash: sha256(secret), hint: secret.slice(-HINT_LENGTH), createdAt: now },
  };
}

/** Lists the tenant's server applications, newest first. A tenant has few, so there are no pages. */
export async function listApplications(ctx: Context): Promise<ApplicationView[]> {
  requireAdmin(ctx.actor, 'settings:manage');
  const rows = await ctx.db.application.findMany({
    where: { tenantId: ctx.tenantId, kind: 'server' },
    include: withLiveSecrets,
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
  });
  return rows.map(presentApplication);
}

/**
 * Changes the name or scopes of an application. A removed scope disappears from its tokens within a second and disables
 * webhook endpoints of the application that need it; an added scope comes with the next token.
 * @throws `conflict` once it is revoked, `not_found`
 */
export async function updateApplication(ctx: Context, input: UpdateApplicationInput): Promise<ApplicationView> {
  requireAdmin(ctx.actor, 'settings:manage');
  const view = await ctx.db.$transaction(async (tx) => {
    const before = await lockApplication(tx, ctx, input.id);
    if (before.revokedAt) throw apiError('conflict', 'The application is revoked; create another.');
    const name = input.name ?? before.name;
    const scopes = input.scopes ? [...new Set(input.scopes)].sort() : before.scopes;
    const added = scopes.filter((scope) => !before.scopes.includes(scope));
    const removed = before.scopes.filter((scope) => !scopes.includes(scope));
    const isRenamed = name !== before.name;
    if (!isRenamed && added.length + removed.length === 0) return presentApplication(before);
    await tx.application.update({ where: { id: input.id }, data: { name, scopes } });
    if (removed.length > 0) await switchOffApplicationEndpoints(tx, ctx, { id: input.id, scopes });
    await record(tx, ctx, {
      action: 'applications.update',
      object: { type: 'Application', id: input.id },
      details: { ...(isRenamed && { name, before: before.name }), added, removed },
    });
    return presentApplication({ ...before, name, scopes });
  });
  invalidateClient(ctx, ctx.tenantId, input.id);
  return view;
}

/**
 * Revokes an application permanently: its secrets and webhook endpoints immediately, its tokens and impersonations
 * within a second.
 */
export async function revokeApplication(ctx: Context, input: { id: string }): Promise<ApplicationView> {
  requireAdmin(ctx.actor, 'settings:manage');
  const view = await ctx.db.$transaction(async (tx) => {
    const application = await lockApplication(tx, ctx, input.id);
    if (application.revokedAt) return presentApplication(application);
    const now = ctx.clock.now();
    const ended = { revokedAt: now, tokensValidAfter: now };
    await tx.application.update({ where: { id: input.id }, data: ended });
    await tx.applicationSecret.updateMany({
      where: { applicationId: input.id, revokedAt: null },
      data: { revokedAt: now },
    });
    await switchOffApplicationEndpoints(tx, ctx, { id: input.id, isRevoked: true });
    await record(tx, ctx, { action: 'applications.revoke', object: { type: 'Application', id: input.id } });
    return presentApplication({ ...application, ...ended, secrets: [] });
  });
  invalidateClient(ctx, ctx.tenantId, input.id);
  return view;
}

/**
 * Issues the token that the application would get for its id and secret, for an admin who tries the samples of the
 * docs. It is bound to the application's newest secret. Sandbox only.
 * @throws `conflict`, `forbidden`, `not_found`
 */
export async function issueSampleToken(ctx: Context, { id }: { id: string }): Promise<SampleTokenView> {
  requireAdmin(ctx.actor, 'settings:manage');
  if (ctx.config.environment !== 'sandbox')
    throw apiError('forbidden', 'Only a sandbox gives access to try things out with.');
  const { tenantId } = ctx;
  const application = await ctx.db.application.findFirst({
    where: { tenantId, id, kind: 'server' },
    include: withLiveSecrets,
  });
  if (!application) throw notFound('application');
  const secretId = application.secrets[0]?.id;
  if (application.revokedAt || !secretId) throw apiError('conflict', 'The application is revoked; choose another.');
  const scope = application.scopes.join(' ');
  const { token } = await issueAccessToken(ctx, { tenantId, clientId: id, secretId, scope });
  // Write the audit entry before the token leaves this process.
  await recordAccess(ctx, { action: 'tokens.issue', object: { type: 'Application', id } });
  return { access_token: token, expires_in: ACCESS_TOKEN_SECONDS, scopes: application.scopes as Scope[] };
}

/** Creates a server application. The response is the only place that shows its secret. */
export async function createApplication(ctx: Context, input: CreateApplicationInput): Promise<NewSecretView> {
  requireAdmin(ctx.actor, 'settings:manage');
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  const id = newId(now);
  const { secret, row } = makeClientSecret(now);
  const scopes = [...new Set(input.scopes)];
  const application = await ctx.db.$transaction(async (tx) => {
    await tx.application.create({
      data: { id, tenantId, kind: 'server', name: input.name, scopes, tokensValidAfter: now, createdAt: now },
    });
    await tx.applicationSecret.create({ data: { ...row, tenantId, applicationId: id } });
    await tx.tenantRoute.create({ data: { key: `client:${id}`, tenantId } });
    await record(tx, ctx, {
      action: 'applications.create',
      object: { type: 'Application', id },
      details: { name: input.name, scopes },
    });
    return tx.application.findUniqueOrThrow({ where: { id }, include: withLiveSecrets });
  });
  return { application: presentApplication(application), client_secret: secret };
}

/**
 * Adds a second secret to an application; the old one stays valid until it is revoked.
 * @throws `conflict`, `not_found`
 */
export async function rotateApplicationSecret(ctx: Context, input: { id: string }): Promise<NewSecretView> {
  requireAdmin(ctx.actor, 'settings:manage');
  const { tenantId } = ctx;
  const view = await ctx.db.$transaction(async (tx) => {
    const application = await lockApplication(tx, ctx, input.id);
    if (application.revokedAt) throw apiError('conflict', 'The application is revoked; create another.');
    if (application.secrets.length >= MAX_LIVE_SECRETS)
      throw apiError('conflict', 'Two secrets are live already; revoke one first.');
    const { secret, row } = makeClientSecret(ctx.clock.now());
    const added = await tx.applicationSecret.create({ data: { ...row, tenantId, applicationId: input.id } });
    await record(tx, ctx, {
      action: 'applications.rotate_secret',
      object: { type: 'Application', id: input.id },
      details: { secret_id: row.id },
    });
    const secrets = [added, ...application.secrets];
    return { application: presentApplication({ ...application, secrets }), client_secret: secret };
  });
  invalidateClient(ctx, tenantId, input.id);
  return view;
}

/** Revokes one secret and, within a second, every token issued for it; tokens of the other secret stay valid. */
export async function revokeApplicationSecret(
  ctx: Context,
  input: { id: string; secret_id: string },
): Promise<ApplicationView> {
  requireAdmin(ctx.actor, 'settings:manage');
  const view = await ctx.db.$transaction(async (tx) => {
    const application = await lockApplication(tx, ctx, input.id);
    const secret = await tx.applicationSecret.findFirst({
      where: { tenantId: ctx.tenantId, applicationId: input.id, id: input.secret_id },
    });
    if (!secret) throw notFound('secret');
    if (secret.revokedAt === null) {
      await tx.applicationSecret.update({ where: { id: secret.id }, data: { revokedAt: ctx.clock.now() } });
      await record(tx, ctx, {
        action: 'applications.revoke_secret',
        object: { type: 'Application', id: input.id },
        details: { secret_id: secret.id },
      });
    }
    const secrets = application.secrets.filter(({ id }) => id !== secret.id);
    return presentApplication({ ...application, secrets });
  });
  invalidateClient(ctx, ctx.tenantId, input.id);
  return view;
}

/** The portal's API credentials page. */
export const applicationsRouter = router({
  list: noPatient.input(NoInput.optional()).query(({ ctx }) => listApplications(ctx)),
  create: noPatient.input(CreateApplicationInput).mutation(({ ctx, input }) => createApplication(ctx, input)),
  update: noPatient.input(UpdateApplicationInput).mutation(({ ctx, input }) => updateApplication(ctx, input)),
  rotateSecret: noPatient.input(ApplicationIdInput).mutation(({ ctx, input }) => rotateApplicationSecret(ctx, input)),
  revokeSecret: noPatient.input(RevokeSecretInput).mutation(({ ctx, input }) => revokeApplicationSecret(ctx, input)),
  giveSampleToken: noPatient.input(ApplicationIdInput).mutation(({ ctx, input }) => issueSampleToken(ctx, input)),
  revoke: noPatient.input(ApplicationIdInput).mutation(({ ctx, input }) => revokeApplication(ctx, input)),
  allowedOrigins: noPatient.input(NoInput.optional()).query(({ ctx }) => listAllowedOrigins(ctx)),
  setAllowedOrigins: noPatient
    .input(SetAllowedOriginsInput)
    .mutation(({ ctx, input }) => setAllowedOrigins(ctx, input)),
  appAddresses: noPatient.input(NoInput.optional()).query(({ ctx }) => getAppAddresses(ctx)),
  setAppAddresses: noPatient.input(SetAppAddressesInput).mutation(({ ctx, input }) => setAppAddresses(ctx, input)),
  configurationTokens: noPatient.input(NoInput.optional()).query(({ ctx }) => getConfigurationTokens(ctx)),
});
