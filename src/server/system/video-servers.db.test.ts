import { createSocket } from 'node:dgram';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asAdmin, asApplication, asPatient, asPractitioner, makeTenant } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { errorOf } from '#dev/testing/scheduling.ts';
import { testServices } from '#dev/testing/services.ts';
import { type Relay, startCoturn } from '#dev/testing/start-coturn.ts';
import { checkVideoServers, getVideoServers } from './video-servers.ts';

let clinic: Clinic;
let relay: Relay;
const opened: ReturnType<typeof testServices>[] = [];
beforeAll(async () => {
  [relay, clinic] = await Promise.all([startCoturn(), withClinic()]);
});
afterAll(async () => {
  for (const services of opened) await services.close();
  await relay?.stop();
  await clinic?.stop();
});

async function admin(settings: Record<string, string>) {
  const services = testServices(clinic.database, settings);
  opened.push(services);
  const tenant = await makeTenant(services);
  return { services, tenant, ctx: asAdmin(services, tenant) };
}
const codes = ({ findings }: { findings: { code: string }[] }) => findings.map(({ code }) => code);

describe('findings about video settings', () => {
  test('report missing TURN and STUN servers', async () => {
    const { ctx } = await admin({});
    const view = await getVideoServers(ctx);
    expect(view).toMatchObject({ elsewhere: null, servers: [] });
    expect(view.findings[0]!.message).toContain('about one call in six fails');
    expect(codes(view)).toEqual(['no_turn', 'no_stun']);
    const { ctx: withStun } = await admin({ VIDEO_STUN_URLS: relay.stunUrl });
    expect(codes(await getVideoServers(withStun))).toEqual(['no_turn']);
  });

  test('report a relay by UDP only as advice, and nothing with another transport', async () => {
    const { ctx } = await admin({ ...relay.settings, VIDEO_TURN_URLS: relay.turnUrls[0]! });
    expect((await getVideoServers(ctx)).findings).toMatchObject([{ code: 'turn_by_udp_only', advice: true }]);
    const { ctx: withRelay } = await admin(relay.settings);
    expect(await getVideoServers(withRelay)).toEqual({
      elsewhere: null,
      servers: [relay.stunUrl, ...relay.turnUrls],
      findings: [],
    });
  });

  test('are empty when another video page is configured', async () => {
    const { ctx } = await admin({ VIDEO_BASE_URL: 'https://video.example.test' });
    expect(await getVideoServers(ctx)).toMatchObject({ elsewhere: 'https://video.example.test', findings: [] });
  });
});

describe('checking the video servers', () => {
  test('reports a correct relay as working, and returns credentials that are valid for minutes', async () => {
    const { ctx } = await admin(relay.settings);
    const { servers, findings, ice_servers } = await checkVideoServers(ctx);
    expect(findings).toEqual([]);
    expect(servers.map(({ url, works }) => [url, works])).toEqual(
      [relay.stunUrl, ...relay.turnUrls].map((url) => [url, true]),
    );
    expect(servers[0]!.words).toMatch(/^Answered in \d+ ms$/);
    const [expiry] = ice_servers.at(-1)!.username!.split(':');
    expect(Number(expiry) - Date.now() / 1000).toBeLessThan(301);
    expect(JSON.stringify(ice_servers)).not.toContain(relay.settings.VIDEO_TURN_SECRET);
  });

  test('distinguishes a wrong secret, a closed port and an unknown name, with a fix for each', async () => {
    const { ctx } = await admin({
      // Unknown without a DNS query: a label has at most 63 characters (RFC 1035 §2.3.4).
      VIDEO_STUN_URLS: `stun:${'unknown'.repeat(10)}.example.test`,
      VIDEO_TURN_URLS: `${relay.turnUrls[0]},turn:127.0.0.1:9?transport=tcp`,
      VIDEO_TURN_SECRET: 'not-what-the-relay-was-given',
    });
    const view = await checkVideoServers(ctx);
    expect(view.servers.map(({ words }) => words)).toEqual([
      'This name is unknown',
      'Does not take our credentials',
      'Did not answer',
    ]);
    expect(codes(view)).toEqual(['video_no_host', 'video_refused', 'video_no_answer']);
    expect(view.findings.every(({ fix }) => fix)).toBe(true);
  });

  test('reports a relay that gives access to internal machines', async () => {
    const { ctx } = await admin({
      VIDEO_TURN_URLS: await openRelay(),
      VIDEO_TURN_SECRET: 'not-what-the-relay-was-given',
    });
    const view = await checkVideoServers(ctx);
    expect(view.findings.find(({ code }) => code === 'turn_open_inside')?.message).toContain('169.254.169.254');
  });

  test('requires an admin, and is rate limited', async () => {
    const { services, tenant, ctx } = await admin({});
    for (const other of [
      asPractitioner(services, tenant),
      asPatient(services, tenant, ctx.requestId),
      asApplication(services, tenant, ['patients:read']),
    ]) {
      expect((await errorOf(getVideoServers(other))).code).toBe('forbidden');
      expect((await errorOf(checkVideoServers(other))).code).toBe('forbidden');
    }
    for (let n = 0; n < 10; n++) await checkVideoServers(ctx);
    expect((await errorOf(checkVideoServers(ctx))).code).toBe('rate_limited');
  });
});

/** A relay without restrictions: it challenges the first request of a client, and accepts all others. */
async function openRelay(): Promise<string> {
  const server = createSocket('udp4');
  const attribute = (type: number, value: Buffer) => Buffer.concat([Buffer.from([0, type, 0, value.length]), value]);
  const seen = new Set<number>();
  server.on('message', (request, { port, address }) => {
    const isFirst = request.readUInt16BE(0) === 3 && !seen.has(port);
    seen.add(port);
    const body = isFirst
      ? [
          attribute(0x09, Buffer.from([0, 0, 4, 1])),
          attribute(0x14, Buffer.from('open')),
          attribute(0x15, Buffer.from('once')),
        ]
      : [];
    const bytes = Buffer.concat([request.subarray(0, 20), ...body]);
    bytes.writeUInt16BE(request.readUInt16BE(0) | (isFirst ? 0x0110 : 0x0100));
    bytes.writeUInt16BE(bytes.length - 20, 2);
    server.send(bytes, port, address);
  });
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
  server.unref();
  return `turn:127.0.0.1:${server.address().port}`;
}
