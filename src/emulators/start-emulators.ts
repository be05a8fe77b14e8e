import { type AcuityEmulatorOptions, createAcuityEmulator } from './acuity/index.ts';
import type { RunningEmulator } from './core/emulator.ts';
import { createInboxEmulator, type InboxEmulatorOptions, type RunningInbox } from './inbox/index.ts';
import { createStripeEmulator, type StripeEmulatorOptions } from './stripe/index.ts';

type WithPort<Options> = Options & {
  /** 0 (the default) picks a free port. */
  port?: number;
};

export interface EmulatorsOptions {
  /** Directory where every emulator stores its state between runs; in memory when absent. */
  dataDir?: string;
  /** Address to listen on, default 127.0.0.1. */
  host?: string;
  stripe: WithPort<StripeEmulatorOptions>;
  acuity?: WithPort<AcuityEmulatorOptions>;
  inbox?: WithPort<InboxEmulatorOptions>;
}

export interface Emulators {
  stripe: Awaited<ReturnType<ReturnType<typeof createStripeEmulator>['start']>>;
  acuity: Awaited<ReturnType<ReturnType<typeof createAcuityEmulator>['start']>>;
  inbox: RunningInbox;
  urls: {
    stripe: string;
    /** Value for `STRIPE_JS_URL`: replaces https://js.stripe.com. */
    stripeJs: string;
    /** Includes the path; replaces Acuity's own base URL. */
    acuity: string;
    inbox: string;
    smtp: string;
  };
  stop(): Promise<void>;
}

/** Starts all provider emulators in this process; stops the started ones when one fails. */
export async function startEmulators({
  dataDir,
  host,
  stripe,
  acuity = {},
  inbox = {},
}: EmulatorsOptions): Promise<Emulators> {
  const shared = dataDir ? { dataDir } : {};
  const started: Pick<RunningEmulator<unknown>, 'stop'>[] = [];
  const stop = async () => {
    await Promise.all(started.splice(0).map((emulator) => emulator.stop()));
  };
  const track = <T extends Pick<RunningEmulator<unknown>, 'stop'>>(emulator: T): T => {
    started.push(emulator);
    return emulator;
  };
  try {
    const running = {
      stripe: track(await createStripeEmulator({ ...shared, ...stripe }).start(stripe.port, host)),
      acuity: track(await createAcuityEmulator({ ...shared, ...acuity }).start(acuity.port, host)),
      inbox: track(await createInboxEmulator({ ...shared, ...inbox }).start(inbox.port, host)),
    };
    const urls = {
      stripe: running.stripe.url,
      stripeJs: `${running.stripe.url}/endive/stripe.js`,
      acuity: `${running.acuity.url}/api/v1`,
      inbox: running.inbox.url,
      smtp: running.inbox.smtpUrl,
    };
    return { ...running, urls, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
