/**
 * `npm run generate -w @carelane/client`: generates the types of all calls from the OpenAPI document. A workspace of
 * its own, because openapi-typescript needs TypeScript 5 and the repository uses TypeScript 7.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { openApiDocument } from '../../contract/openapi.ts';

const HEAD = '// Made by generator/generate.ts from the OpenAPI document; not to be edited.\n';
const folder = join(import.meta.dirname, '../generated');

// Types do not depend on the deployment's URLs.
const document = openApiDocument({ baseUrl: 'https://clinic.example', tokenUrl: 'https://clinic.example' });
const types = await openapiTS(document as unknown as OpenAPI3);
const text = HEAD + astToString(types);
const file = join(folder, 'api.ts');
mkdirSync(folder, { recursive: true });
// An unchanged file is not written again, because another process may be reading it.
if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
