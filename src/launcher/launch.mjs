import path from 'node:path';
import { buildPages, bundle, generateClient, generateClientTypes } from './build.mjs';
import { makeCard, printCard } from './card.mjs';
import { openDataFolder } from './data-folder.mjs';
import { openDatabase } from './database.mjs';
import { install } from './install.mjs';
import { writeJson } from './json-file.mjs';
import { readOptions } from './options.mjs';
import { packPackages } from './packages.mjs';
import { choosePorts, requirePort } from './ports.mjs';
import { startEmulators, startService } from './processes.mjs';
import { createProgress } from './progress.mjs';
import { loadSecrets } from './secrets.mjs';
import { seed } from './seed.mjs';
import { createSettings } from './settings.mjs';
import { createShutdown } from './shutdown.mjs';
import { UserError } from './user-error.mjs';

/** Runs `npm start` with its arguments; resolves when everything is ready. */
export async function launch(args) {
  const shutdown = createShutdown();
  try {
    const options = readOptions(args, process.env);
    if (options) await start(options, shutdown);
    else await shutdown.stop(0);
  } catch (error) {
    if (!shutdown.isStopping()) console.error(`\n${error instanceof UserError ? error.message : error.stack}`);
    await shutdown.stop(1);
  }
}

async function start(options, shutdown) {
  const { step, total } = createProgress();
  shutdown.atEnd(await openDataFolder(options));
  await requirePort(options.port, options.host);
  const ports = await choosePorts(options.data);
  const secrets = loadSecrets(options.data);
  const settings = createSettings({ env: process.env, options, ports, secrets });
  console.log(`Starting Carelane (${settings.service.CARELANE_ENV}) …`);

  await install(step, { tools: false });
  const opening = openDatabase({ step, options, settings, secrets, port: ports.postgres }).then(shutdown.add);
  const bundled = generateClient(step).then(() => bundle(step));
  const emulating = bundled.then(() => startEmulators({ step, options, ports, settings })).then(shutdown.add);
  const typed = bundled.then(() => generateClientTypes(step));
  const paging = typed.then(() => options.dev || buildPages(step));
  const seeding = Promise.all([opening, emulating]).then(([database]) => seed({ step, options, settings, database }));
  const packing = typed.then(() => settings.production || packPackages(step));
  const [database, seeded] = await Promise.all([opening, seeding, paging, packing]);

  shutdown.add(await startService({ step, options, settings, database }));
  const card = makeCard({
    publicUrl: settings.service.PUBLIC_URL,
    production: settings.production,
    seeded,
    emulators: settings.emulatorUrls,
    stripeKey: settings.emulators.STRIPE_SECRET_KEY,
    servesPackages: !settings.production,
  });
  const cardFile = path.join(options.data, 'card.json');
  writeJson(cardFile, card);
  printCard(card, { cardFile: path.relative(process.cwd(), cardFile), total: total() });
}
