// `npm run build -w @carelane/client`
import { generateClientTypes } from '../launcher/build.mjs';
import { buildPackage } from '../launcher/package/build-package.mjs';

await generateClientTypes((_name, work) => work());
await buildPackage(
  import.meta.dirname,
  ['index', 'webhooks', 'testing'],
  ['standardwebhooks', '@stablelib/base64', 'fast-sha256'],
);
