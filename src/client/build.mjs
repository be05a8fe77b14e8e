// `npm run build -w @carelane/client`
import { buildPackage } from '../launcher/package/build-package.mjs';
import { runTool } from '../launcher/run-command.mjs';

await runTool('tsx/dist/cli.mjs', ['src/client/generator/generate.ts']);
await buildPackage(
  import.meta.dirname,
  ['index', 'webhooks', 'testing'],
  ['standardwebhooks', '@stablelib/base64', 'fast-sha256'],
);
