import type { VideoCheckView, VideoServersView } from '#contract/video-servers.ts';
import { requireAdmin } from '#server/core/actor.ts';
import { assertRateLimit } from '#server/core/assert-rate-limit.ts';
import { MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { checkIceServer } from '#server/providers/check-ice-server.ts';
import { iceServers } from '#server/visits/ice-servers.ts';
import { describeOutcome, findMissingSettings, findServerProblems } from './video-findings.ts';

const CHECKS_PER_MINUTE = 10;
const CREDENTIALS_LAST_MS = 5 * MINUTE;
const ANSWERS_WITHIN_MS = 3000;

/** Returns the configured video servers and the findings about the settings. Admins only. */
export async function getVideoServers({ actor, config }: Context): Promise<VideoServersView> {
  requireAdmin(actor);
  const { video, videoBaseUrl, publicUrl } = config;
  const elsewhere = videoBaseUrl === `${publicUrl}/visit` ? null : videoBaseUrl;
  return {
    elsewhere,
    servers: [...video.stunUrls, ...(video.turn?.urls ?? [])],
    findings: elsewhere ? [] : findMissingSettings(video),
  };
}

/**
 * Checks all servers concurrently from where the service runs. Admins only.
 * @throws `rate_limited`
 */
export async function checkVideoServers(ctx: Context): Promise<VideoCheckView> {
  requireAdmin(ctx.actor);
  assertRateLimit(ctx, `video-check:${ctx.tenantId}`, CHECKS_PER_MINUTE);
  const given = iceServers(ctx, newId(ctx.clock.now()), CREDENTIALS_LAST_MS);
  const asked = given.flatMap(({ urls, ...credentials }) => urls.map((url) => ({ url, ...credentials })));
  const within = Math.min(ANSWERS_WITHIN_MS, ctx.config.providerTimeoutMs);
  const answers = await Promise.all(
    asked.map(async (server) => ({ url: server.url, outcome: await checkIceServer(server, within) })),
  );
  return {
    servers: answers.map(({ url, outcome }) => ({ url, works: outcome.works, words: describeOutcome(outcome) })),
    findings: [
      ...findMissingSettings(ctx.config.video),
      ...answers.flatMap(({ url, outcome }) => findServerProblems(url, outcome)),
    ],
    ice_servers: given,
  };
}
