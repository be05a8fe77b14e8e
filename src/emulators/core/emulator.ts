import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { createClock } from './clock.ts';
import { type Control, controlPanel } from './controls.ts';
import { FaultBook } from './faults.ts';
import type { EmulatorRequest, Problem, Reply, Route, World } from './route.ts';
import { createListener } from './serve.ts';
import { createWebhookSender, type Delivery, type WebhookOptions } from './webhooks.ts';

const DEBOUNCE_MS = 100;
/**
 * Minimum wait between two writes as a multiple of the last write's
 * duration, so that writing takes at most a tenth of the time.
 */
const REST = 10;

interface Store<T> {
  value: T;
  /** Marks `value` as changed. It is written within about 100 ms, a large state later. */
  changed(): void;
  flush(): void;
}

/**
 * Opens one JSON document stored in `file` (in memory when
 * undefined). The write is atomic: temporary file, then rename.
 */
function openStore<T>(file: string | undefined, initial: () => T): Store<T> {
  let timer: NodeJS.Timeout | undefined;
  let waitMs = DEBOUNCE_MS;
  const write = () => {
    clearTimeout(timer);
    timer = undefined;
    if (!file) return;
    const begun = performance.now();
    mkdirSync(dirname(file), { recursive: true });
    // Mode 600: the state contains patients' names and secrets.
    writeFileSync(`${file}.new`, JSON.stringify(store.value), { mode: 0o600 });
    renameSync(`${file}.new`, file);
    waitMs = Math.max(DEBOUNCE_MS, REST * (performance.now() - begun));
  };
  const store: Store<T> = {
    value: read<T>(file) ?? initial(),
    changed() {
      if (file) timer ??= setTimeout(write, waitMs);
    },
    flush() {
      if (timer) write();
    },
  };
  return store;
}

function read<T>(file: string | undefined): T | undefined {
  if (!file) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`Cannot read the emulator's data in ${file}`, { cause: error });
  }
}

export interface EmulatorOptions<State> {
  /** Prefix of the state file's name and of log lines. */
  name: string;
  /** Returns the initial state as plain JSON; called on the first start and on each reset. */
  initialState(): State;
  routes: Route<State>[];
  /**
   * Renders a problem of the framework (unknown path, unreadable
   * body, injected 429/500/503, crash) as the provider does.
   */
  errorShape(problem: Problem): Reply;
  /** Wraps every matched route: authentication, rate limits, idempotency, response headers. */
  middleware?(request: EmulatorRequest, world: World<State>, next: () => Promise<Reply>): Promise<Reply>;
  /** Actions of `POST /_emulator/trigger {"name": …}`, by name; the rest of the body is the control's input. */
  controls?: Record<string, Control<State>>;
  /**
   * Called about once a second and after each clock change. Performs everything that is due at `world.clock.now()`.
   * @returns true when anything was due
   */
  onClockMoved?(world: World<State>): boolean;
  /** Additional routes under `/_emulator/`; a thrown `TypeError` or `RangeError` becomes a 400 response. */
  controlRoutes?: Route<State>[];
  webhooks?: Omit<WebhookOptions, 'sign' | 'delivered'> & {
    sign(delivery: Delivery, world: World<State>): Record<string, string>;
    delivered?(delivery: Delivery, world: World<State>): void;
  };
  /**
   * Allows pages of any origin to call every route except the
   * controls, as Stripe.js requires. Default: same origin only.
   */
  cors?: boolean;
  /** Directory of `<name>.json`, the state between runs; in memory when absent. */
  dataDir?: string;
  /** Receives log lines, such as requests to unknown paths; standard error by default. */
  log?(line: string): void;
}

export interface RunningEmulator<State> {
  url: string;
  world: World<State>;
  faults: FaultBook;
  /** Writes the state, closes all sockets and stops pending deliveries. */
  stop(): Promise<void>;
}

export interface Emulator<State> {
  /** Listens on this port of `host` (default 127.0.0.1); 0 picks a free port. */
  start(port?: number, host?: string): Promise<RunningEmulator<State>>;
}

interface SavedState<State> {
  clockOffsetMs: number;
  deliveries: Delivery[];
  state: State;
}

const TICK_MS = 1000;
const KEEP_ALIVE_MS = 60_000;

/**
 * Creates a stateful stand-in for a provider's HTTP API on `node:http`: routes, persisted JSON state, a clock
 * that can be moved forward, fault injection, signed webhooks with retries, and controls under `/_emulator/` (see
 * `controls.ts`). Requests to unknown routes are rejected in the provider's shape and logged.
 */
export function createEmulator<State>(options: EmulatorOptions<State>): Emulator<State> {
  return {
    async start(port = 0, host = '127.0.0.1') {
      const file = options.dataDir && join(options.dataDir, `${options.name}.json`);
      const fresh = (): SavedState<State> => ({ clockOffsetMs: 0, deliveries: [], state: options.initialState() });
      const store = openStore<SavedState<State>>(file, fresh);
      const faults = new FaultBook();
      const log = options.log ?? ((line: string) => process.stderr.write(`[${options.name}] ${line}\n`));
      const clock = createClock(
        () => store.value.clockOffsetMs,
        (offsetMs) => {
          store.value.clockOffsetMs = offsetMs;
        },
      );
      const webhooks = createWebhookSender(() => store.value.deliveries, store.changed, {
        ...options.webhooks,
        sign: (delivery) => options.webhooks?.sign(delivery, world) ?? {},
        delivered: (delivery) => options.webhooks?.delivered?.(delivery, world),
      });
      const world: World<State> = {
        get state() {
          return store.value.state;
        },
        clock,
        webhooks,
        faults,
        baseUrl: '',
        log,
      };
      const clockMoved = () => {
        if (options.onClockMoved?.(world)) store.changed();
      };
      const reset = () => {
        store.value = fresh();
        faults.clear();
        store.changed();
      };

      const panel = controlPanel({
        name: options.name,
        world,
        faults,
        clockMoved,
        reset,
        controls: options.controls ?? {},
        routes: options.controlRoutes ?? [],
      });
      const server = createServer(createListener({ ...options, world, faults, panel, changed: store.changed, log }));
      // Node's default of five seconds closes the sockets of clients that pause only briefly.
      server.keepAliveTimeout = KEEP_ALIVE_MS;
      await listen(server, port, host);
      world.baseUrl = `http://${host}:${(server.address() as AddressInfo).port}`;
      webhooks.resume();
      const tick = setInterval(() => {
        try {
          clockMoved();
        } catch (error) {
          log(`what became due failed: ${(error as Error).stack}`);
        }
      }, TICK_MS);

      return {
        url: world.baseUrl,
        world,
        faults,
        async stop() {
          clearInterval(tick);
          webhooks.stop();
          const closed = new Promise((resolve) => server.close(resolve));
          server.closeAllConnections();
          await closed;
          store.flush();
        },
      };
    },
  };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
}
