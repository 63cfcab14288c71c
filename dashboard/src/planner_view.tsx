export const PlannerView = (_: { name?: string }) => <p>Planner</p>;
