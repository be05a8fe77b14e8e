const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Carelane needs Node 20.19 or newer; this is ${process.version}.`);
  process.exit(1);
}
