export const ProtectionView = (_: { name?: string }) => <p>Protection</p>;
