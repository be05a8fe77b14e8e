import { execFile } from 'node:child_process';
import { createHash, createHmac, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, chromium, type Page } from '@playwright/test';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { IceServer } from '#contract/visit-call.ts';
import { readConfig } from '#server/core/config.ts';
import { checkIceServer, type IceOutcome } from '#server/providers/check-ice-server.ts';
import { iceServers } from '#server/visits/ice-servers.ts';
import { testSettings } from './services.ts';
import { type Relay, startCoturn, TURN_SECRET } from './start-coturn.ts';

/** Of credentials. */
const LAST_MS = 600_000;
const WITHIN_MS = 3000;
const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const HERE_BY_IPV6 = '::1';
const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((one) => one?.address === HERE_BY_IPV6);
const BY_IPV6 = hasIpv6 ? ['listening-ip', 'relay-ip'].map((name) => `${name}=${HERE_BY_IPV6}`) : [];
let relay: Relay;
let browser: Browser;
let site: Server;
/** What the pages of a test have of it, as one script. */
let script: string;
beforeAll(async () => {
  relay = await startCoturn({ tls: true, more: BY_IPV6 });
  // Devices are there on a page of an origin alone.
  site = createServer((_, response) => void response.setHeader('content-type', 'text/html').end('<!doctype html>'));
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../../web/ui/visit-call/try-way.ts', import.meta.url))],
    bundle: true,
    format: 'iife',
    globalName: 'trial',
    write: false,
  });
  script = outputFiles[0]!.text;
  const devices = [
    '--use-fake-device-for-media-stream',
    '--use-fake-ui-for-media-stream',
    '--autoplay-policy=no-user-gesture-required',
  ];
  // A browser knows nobody who vouches for the relay: it is told to trust this one key.
  const trusted = `--ignore-certificate-errors-spki-list=${await keyHash(relay.certificate)}`;
  browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', ...devices, trusted],
  });
}, 60_000);
afterAll(async () => {
  await browser?.close();
  site?.close();
  await relay?.stop();
});

async function keyHash(certificate: string): Promise<string> {
  const { publicKey } = new X509Certificate(await readFile(certificate));
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');
}
const inSeconds = (ahead: number) => Math.floor(Date.now() / 1000) + ahead;
function made(username: string, secret = TURN_SECRET) {
  return { username, credential: createHmac('sha1', secret).update(username).digest('base64') };
}
const ask = (credentials: { username: string; credential: string }, url = relay.turnUrls[0]!) =>
  checkIceServer({ url, ...credentials }, WITHIN_MS);

/** Asked by a process that trusts a certificate; one learns of it as it starts. */
async function askKnowing(certificate: string, asked: Parameters<typeof checkIceServer>[0]): Promise<IceOutcome> {
  const program = `import { checkIceServer } from './src/server/providers/check-ice-server.ts';
    console.log(JSON.stringify(await checkIceServer(JSON.parse(process.argv[1]), ${WITHIN_MS})));`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '-e', program, JSON.stringify(asked)],
    { env: { ...process.env, NODE_EXTRA_CA_CERTS: certificate } },
  );
  return JSON.parse(stdout);
}

describe('a real relay, set up as the guide says', () => {
  test('tells how we look from outside', async () => {
    expect(await checkIceServer({ url: relay.stunUrl }, WITHIN_MS)).toMatchObject({
      works: true,
      address: expect.stringMatching(/^[\d.]+:\d+$/),
    });
  });

  test.each([0, 1])('takes credentials of its secret that are not over, by UDP and by TCP (%i)', async (n) => {
    const answer = await ask(made(`${inSeconds(60)}:seat`), relay.turnUrls[n]!);
    expect(answer).toMatchObject({ works: true, address: expect.stringContaining(`${relay.host}:`) });
  });

  test('by TLS too, from whoever knows who vouches for its certificate; to others it is nobody', async () => {
    const asked = { url: relay.turnUrls[2]!, ...made(`${inSeconds(60)}:seat`) };
    expect(asked.url).toMatch(/^turns:/);
    expect(await askKnowing(relay.certificate, asked)).toMatchObject({
      works: true,
      address: expect.stringContaining(`${relay.host}:`),
      open: [],
    });
    expect(await ask(asked, asked.url)).toMatchObject({ works: false, why: 'no_answer' });
  });

  test.runIf(hasIpv6).each(['udp', 'tcp'])('by IPv6 and %s too, and leads nobody inside there', async (transport) => {
    const url = `turn:[${HERE_BY_IPV6}]:${relay.port}?transport=${transport}`;
    expect(await ask(made(`${inSeconds(60)}:seat`), url)).toMatchObject({ works: true, open: [] });
    const stun = await checkIceServer({ url: `stun:[${HERE_BY_IPV6}]:${relay.port}` }, WITHIN_MS);
    expect(stun).toMatchObject({ works: true, address: expect.stringContaining(`[${HERE_BY_IPV6}]:`) });
  });

  test.runIf(hasIpv6)('is found out where it leads inside by IPv6 alone, by whichever family it is asked', async () => {
    const open = ['allow-loopback-peers', `allowed-peer-ip=${HERE_BY_IPV6}`];
    const careless = await startCoturn({ more: [...BY_IPV6, ...open] });
    for (const url of [careless.turnUrls[0]!, `turn:[${HERE_BY_IPV6}]:${careless.port}`])
      expect(await ask(made(`${inSeconds(60)}:seat`), url)).toMatchObject({ works: true, open: [HERE_BY_IPV6] });
    await careless.stop();
  });

  test('leads nobody inside: not to itself, its neighbours or a cloud’s metadata', async () => {
    expect(await ask(made(`${inSeconds(60)}:seat`))).toMatchObject({ works: true, open: [] });
  });

  test.each([
    ['over', () => made(`${inSeconds(-5)}:seat`)],
    ['of another secret', () => made(`${inSeconds(60)}:seat`, 'the-secret-of-another-relay')],
    ['with an end put off by hand', () => ({ ...made(`${inSeconds(60)}:seat`), username: `${inSeconds(3600)}:seat` })],
    ['of another seat', () => ({ ...made(`${inSeconds(60)}:seat`), username: `${inSeconds(60)}:other` })],
    ['without an end', () => made('seat')],
    ['that are empty', () => ({ username: '', credential: '' })],
  ])('refuses credentials %s', async (_, credentials) => {
    expect(await ask(credentials())).toMatchObject({ works: false, why: 'refused', code: 401 });
  });
});

/** What a page has of a call in which it may use the relay alone. */
type Side = { connection: RTCPeerConnection; candidates: RTCIceCandidateInit[]; errors: number[] };
declare global {
  var side: Side;
  var trial: typeof import('../../web/ui/visit-call/try-way.ts');
}

/** A page with camera and microphone, and a connection that may only go through the relay. */
async function openSide(iceServers: RTCIceServer[]): Promise<Page> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
  await page.evaluate(async (servers) => {
    const connection = new RTCPeerConnection({ iceServers: servers, iceTransportPolicy: 'relay' });
    globalThis.side = { connection, candidates: [], errors: [] };
    const stream = await navigator.mediaDevices.getUserMedia({ video: true, audio: true });
    for (const track of stream.getTracks()) connection.addTrack(track, stream);
    // What nobody plays is not decoded.
    connection.addEventListener('track', ({ track }) => {
      const player = new Audio();
      player.srcObject = new MediaStream([track]);
      document.body.append(player);
      void player.play();
    });
    connection.addEventListener('icecandidateerror', ({ errorCode }) => void side.errors.push(errorCode));
  }, iceServers);
  return page;
}

/** The local description once all ways are known. */
const described = (page: Page, other?: RTCSessionDescriptionInit) =>
  page.evaluate(async (remote) => {
    const { connection } = side;
    if (remote) await connection.setRemoteDescription(remote);
    await connection.setLocalDescription();
    while (connection.iceGatheringState !== 'complete') await new Promise((resolve) => setTimeout(resolve, 20));
    return connection.localDescription!.toJSON() as RTCSessionDescriptionInit;
  }, other);

/** Frames and audio energy that have come in, and what kind of way they took. */
const received = (page: Page) =>
  page.evaluate(async () => {
    const all = [...(await side.connection.getStats()).values()];
    const inbound = all.filter(({ type }) => type === 'inbound-rtp');
    const pair = all.find(
      ({ type, nominated, state }) => type === 'candidate-pair' && nominated && state === 'succeeded',
    );
    return {
      frames: inbound.find(({ kind }) => kind === 'video')?.framesDecoded ?? 0,
      energy: inbound.find(({ kind }) => kind === 'audio')?.totalAudioEnergy ?? 0,
      ways: pair
        ? [pair.localCandidateId, pair.remoteCandidateId].map((id) => all.find((one) => one.id === id)?.candidateType)
        : [],
      toRelay: pair && (all.find((one) => one.id === pair.localCandidateId)?.relayProtocol as string | undefined),
    };
  });

describe('two browsers that may only talk through the relay', () => {
  const settings = () => readConfig(testSettings({ url: 'postgresql://nobody@localhost/none' }, relay.settings));
  const given = (who: string) => iceServers({ config: settings(), clock: { now: () => new Date() } }, who, LAST_MS);

  /** One calls the other, until both see and hear. @returns how each reaches the relay */
  async function call(servers: IceServer[][]): Promise<(string | undefined)[]> {
    const [caller, called] = [await openSide(servers[0]!), await openSide(servers[1]!)];
    const answer = await described(called, await described(caller));
    await caller.evaluate((remote) => side.connection.setRemoteDescription(remote), answer);
    for (const page of [caller, called]) {
      await expect.poll(async () => (await received(page)).frames, { timeout: 15_000 }).toBeGreaterThan(10);
      await expect.poll(async () => (await received(page)).energy, { timeout: 15_000 }).toBeGreaterThan(0);
      expect((await received(page)).ways).toContain('relay');
    }
    const reached = await Promise.all([caller, called].map(async (page) => (await received(page)).toRelay));
    for (const page of [caller, called]) await page.context().close();
    return reached;
  }

  test('see and hear each other with the credentials that the service gives', async () => {
    await call([given('seat-1'), given('seat-2')]);
  });

  test('and where nothing but TLS is let out', async () => {
    const byTls = (who: string) => [{ ...given(who).at(-1)!, urls: [relay.turnUrls[2]!] }];
    expect(await call([byTls('seat-1'), byTls('seat-2')])).toEqual(['tls', 'tls']);
  });

  test.each([
    ['over', () => ({ ...given('seat-1').at(-1)!, ...made(`${inSeconds(-5)}:seat`) })],
    ['forged', () => ({ ...given('seat-1').at(-1)!, ...made(`${inSeconds(60)}:seat`, 'the-secret-of-another-relay') })],
  ])('find no way with credentials that are %s', async (_, server) => {
    const page = await openSide([server()]);
    const { sdp } = await described(page);
    expect(sdp).not.toContain('a=candidate');
    expect(await page.evaluate(() => side.errors)).toContain(401);
    await page.context().close();
  });
});

describe('the pages’ own check of the relay', () => {
  const given = () =>
    iceServers(
      {
        config: readConfig(testSettings({ url: 'postgresql://nobody@localhost/none' }, relay.settings)),
        clock: { now: () => new Date() },
      },
      'check',
      LAST_MS,
    );
  async function inPage<T>(run: (page: Page) => Promise<T>): Promise<T> {
    const page = await openSide([]);
    await page.evaluate(`${script}; globalThis.trial = trial`);
    const answer = await run(page);
    await page.context().close();
    return answer;
  }

  test('says that a word came there and back, and by which way the browser is reached', async () => {
    const [tried, way, alone] = await inPage((page) =>
      page.evaluate(
        async (servers) =>
          [await trial.tryRelay(servers), await trial.tryWay(servers), await trial.tryWay([])] as const,
        given(),
      ),
    );
    expect(tried.works).toBe(true);
    if (process.env.PROVE) expect(tried.tookMs).toBeLessThan(2000);
    expect([way, alone]).toEqual(['direct', 'unknown']);
  });

  test('says that a network is left by TCP alone, or not at all', async () => {
    const [, turn] = given();
    const byTcp = [{ ...turn!, urls: [relay.turnUrls[1]!] }];
    const forged = [{ ...turn!, urls: [relay.turnUrls[1]!], credential: 'forged' }];
    const ways = await inPage((page) =>
      page.evaluate(async (all) => [await trial.tryWay(all[0]!), await trial.tryWay(all[1]!)], [byTcp, forged]),
    );
    expect(ways).toEqual(['relay', 'none']);
  });

  test('says that nothing comes through with forged credentials', async () => {
    const forged = given().map((server) => ({ ...server, ...(server.credential && { credential: 'forged' }) }));
    const tried = await inPage((page) => page.evaluate((servers) => trial.tryRelay(servers), forged));
    expect(tried).toEqual({ works: false, tookMs: 0 });
  });
});
