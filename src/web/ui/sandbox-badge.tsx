import { Badge } from './badge.tsx';

/** Says on every page that nothing here is for real; in one colour. */
export function SandboxBadge({ className }: { className?: string }) {
  return (
    <Badge tone="warn" className={className}>
      Sandbox
    </Badge>
  );
}
