"""A small study with pictures: how well a count is followed, and which protocol follows it best.

usage: study.py FOLDER   (writes estimates.png and errors.png there)
"""
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

import futurerand  # noqa: E402

SETTING = dict(users=100_000, periods=64, changes=2, population="adoption", engine="sums", seed=1)


def draw_estimates(axes, run):
    axes.fill_between(run.period, run.lower, run.upper, alpha=0.25, label="95% band")
    axes.plot(run.period, run.truth, color="black", linewidth=1, label="true count")
    axes.plot(run.period, run.estimate, marker="o", markersize=3, linestyle="none", label="estimate")
    axes.set_title(f"{run.protocol}: rmse {run.rmse:,.0f} users")
    axes.set_xlabel("period")
    axes.legend(loc="upper left", frameon=False)


def draw_errors(axes, protocols, budgets):
    for protocol in protocols:
        predicted = [
            futurerand.plan(users=SETTING["users"], periods=64, changes=2, epsilon=budget)[protocol]["predicted_rmse"]
            for budget in budgets
        ]
        measured = [
            futurerand.simulate(protocol, **SETTING, epsilon=budget, trials=5).rmse for budget in budgets
        ]
        (line,) = axes.loglog(budgets, predicted, label=protocol)
        axes.loglog(budgets, measured, marker="o", linestyle="none", color=line.get_color())
    axes.set_xticks(budgets, [f"{budget:g}" for budget in budgets], minor=False)
    axes.minorticks_off()
    axes.set_xlabel("epsilon over the whole horizon")
    axes.set_ylabel("root mean square error in users")
    axes.set_title("lines: predicted; dots: measured")
    axes.legend(frameon=False)


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    both = futurerand.compare(["innovation", "optimal"], **SETTING, epsilon="1", trials=5)
    print(both)
    figure, axes = plt.subplots(1, 2, figsize=(11, 4), sharey=True, layout="constrained")
    for place, run in zip(axes, both):
        draw_estimates(place, run)
    axes[0].set_ylabel("people who hold a yes")
    figure.savefig(folder / "estimates.png", dpi=110)

    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    draw_errors(axes, ["innovation", "hybrid", "optimal", "future_rand"], np.array([0.25, 0.5, 1.0]))
    figure.savefig(folder / "errors.png", dpi=110)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]))
