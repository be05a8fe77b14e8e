import type { Finding } from '#contract/integrations.ts';
import type { VideoCheckView, VideoServersView } from '#contract/system.ts';
import { requireAdmin } from '#server/core/actor.ts';
import { MINUTE } from '#server/core/clock.ts';
import type { Config } from '#server/core/config.ts';
import type { Context } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { assertRateLimit } from '#server/core/rate-limiter.ts';
import { checkIceServer, type IceOutcome } from '#server/providers/check-ice-server.ts';
import { iceServers } from '#server/visits/index.ts';

const GUIDE = 'The deployment guide (/docs/guides/deployment#video) has coturn’s settings.';

/** Findings about missing settings, without a check of the servers. */
function findMissingSettings({ stunUrls, turn }: Config['video']): Finding[] {
  if (!turn)
    return [
      {
        code: 'no_turn',
        message:
          'Without TURN about one call in six fails: two browsers in networks that accept no connections do not meet.',
        fix: `Set VIDEO_TURN_URLS and VIDEO_TURN_SECRET. ${GUIDE}`,
      },
      ...(stunUrls.length > 0
        ? []
        : [
            {
              code: 'no_stun',
              message:
                'Without STUN or TURN only browsers in one network meet: none learns what its address is outside.',
              fix: `Set VIDEO_STUN_URLS, or a TURN server, which is one of STUN too. ${GUIDE}`,
            },
          ]),
    ];
  const has = (form: RegExp) => turn.urls.some((url) => form.test(url));
  return has(/^turns:/i) || has(/transport=tcp$/i)
    ? []
    : [
        {
          code: 'turn_by_udp_only',
          message: 'The TURN server is reached by UDP only, which many offices and hospitals do not let out.',
          fix: 'Add an address with turns: (best on port 443), or one with ?transport=tcp.',
          advice: true,
        },
      ];
}

/** Describes a server's response. */
export function describeOutcome(outcome: IceOutcome): string {
  if (outcome.works) return `Answered in ${outcome.tookMs} ms`;
  const by = outcome.onlyBy ? ` by ${outcome.onlyBy}` : '';
  if (outcome.why === 'no_host') return 'This name is unknown';
  if (outcome.why === 'no_answer') return `Did not answer${by}`;
  return outcome.code === 401
    ? `Does not take our credentials${by}`
    : `Refused${by} (${outcome.code ?? 'without a reason'})`;
}

/** Findings about a server that was checked. */
export function findServerProblems(url: string, outcome: IceOutcome): Finding[] {
  if (outcome.works)
    return outcome.open.length === 0
      ? []
      : [
          {
            code: 'turn_open_inside',
            message: `${url} leads anyone with credentials to machines inside your network: ${outcome.open.join(', ')}.`,
            fix: 'Close these addresses with denied-peer-ip, as the deployment guide says, and restart it.',
          },
        ];
  const fixes = {
    no_host: 'Mend the address in the settings, or the entry in DNS.',
    no_answer: 'See that it runs, and that the firewall lets this port in; for turns:, that its certificate is valid.',
    refused:
      outcome.code === 401
        ? 'VIDEO_TURN_SECRET must be coturn’s static-auth-secret, and the clocks of both machines right.'
        : 'Its log says why; with the settings of the deployment guide it writes none until log-file names a file.',
  };
  const { onlyBy, why } = outcome;
  const entry = onlyBy === 'IPv6' ? 'AAAA' : 'A';
  const more = onlyBy ? ` Or take its ${onlyBy} address (${entry}) out of DNS: the other one works.` : '';
  return [{ code: `video_${why}`, message: `${url}: ${describeOutcome(outcome)}.`, fix: fixes[why] + more }];
}

const CREDENTIAL_LIFETIME_MS = 5 * MINUTE;
const RESPONSE_TIMEOUT_MS = 3000;

/** Returns the configured video servers and the findings about the settings. Admins only. */
export async function getVideoServers({ actor, config }: Context): Promise<VideoServersView> {
  requireAdmin(actor, 'settings:manage');
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
  requireAdmin(ctx.actor, 'settings:manage');
  assertRateLimit(ctx, { name: 'video_server_checks', key: [ctx.tenantId] });
  const configured = iceServers(ctx, newId(ctx.clock.now()), CREDENTIAL_LIFETIME_MS);
  const servers = configured.flatMap(({ urls, ...credentials }) => urls.map((url) => ({ url, ...credentials })));
  const timeoutMs = Math.min(RESPONSE_TIMEOUT_MS, ctx.config.providerTimeoutMs);
  const results = await Promise.all(
    servers.map(async (server) => ({ url: server.url, outcome: await checkIceServer(server, timeoutMs) })),
  );
  return {
    servers: results.map(({ url, outcome }) => ({ url, works: outcome.works, words: describeOutcome(outcome) })),
    findings: [
      ...findMissingSettings(ctx.config.video),
      ...results.flatMap(({ url, outcome }) => findServerProblems(url, outcome)),
    ],
    ice_servers: configured,
  };
}
