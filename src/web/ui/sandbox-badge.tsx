import { Badge } from './badge.tsx';

/** Marks every page of a sandbox, always in the same colour. */
export function SandboxBadge({ className }: { className?: string }) {
  return (
    <Badge tone="warn" className={className}>
      Sandbox
    </Badge>
  );
}
