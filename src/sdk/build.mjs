// `npm run build -w @carelane/auth-sdk`
import { buildPackage } from '../launcher/package/build-package.mjs';

await buildPackage(import.meta.dirname, ['index', 'node'], ['@noble/hashes']);
