// `npm run build -w @carelane/client`
import { buildPackage } from '../scripts/package/build-package.mjs';
import { runTool } from '../scripts/run-command.mjs';

await runTool('tsx/dist/cli.mjs', ['src/client/generator/generate.ts']);
await buildPackage(
  import.meta.dirname,
  ['index', 'webhooks', 'testing'],
  ['standardwebhooks', '@stablelib/base64', 'fast-sha256'],
);
