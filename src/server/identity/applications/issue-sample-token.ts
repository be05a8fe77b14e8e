import type { Scope } from '#contract/scopes.ts';
import type { SampleTokenView } from '#contract/settings.ts';
import { requireAdmin } from '../../core/actor.ts';
import type { Context } from '../../core/context.ts';
import { apiError, notFound } from '../../core/errors.ts';
import { recordAccess } from '../../core/record-access.ts';
import { ACCESS_TOKEN_SECONDS } from '../tokens/claims.ts';
import { issueAccessToken } from '../tokens/issue-access-token.ts';
import { withLiveSecrets } from './application.ts';

/**
 * Issues the token that the application would get for its id and secret, for an admin who tries the samples of the
 * docs. It is bound to the application's newest secret. Sandbox only.
 * @throws `conflict`, `forbidden`, `not_found`
 */
export async function issueSampleToken(ctx: Context, { id }: { id: string }): Promise<SampleTokenView> {
  requireAdmin(ctx.actor);
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
