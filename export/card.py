"""The model card of a bundle: what it was trained on, what it gets wrong, and what it is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from export.validate import Findings


def model_card(
    manifest: dict[str, Any], calibration: dict[str, Any], training: dict[str, Any], findings: Findings
) -> str:
    """Return the card in Markdown. Every figure is one that this export measured."""
    architecture = manifest["architecture"]
    lines = [
        f"# {manifest['name']} {manifest['version']}",
        "",
        f"Answers questions about {manifest['subject']} from {training['entries']} curated entries. "
        f"{manifest['description']}".rstrip(),
        "",
        "This is information from a curated set. It is no medical device, makes no claim about treatment, diagnoses "
        "nobody and replaces no professional. Nobody is alerted by anything written to it.",
        "",
        "## The model",
        "",
        f"- preset `{architecture['preset']}`: encoder of {architecture['encoder_layers']} layers, decoder of "
        f"{architecture['decoder_layers']}, width {architecture['d_model']}, {training['weights'] / 1e6:.1f} M weights",
        f"- encoder started from: {training['pretrained'] or 'random weights'}",
        f"- trained on {training['questions']:,} questions for {training['epochs']} epochs, best epoch "
        f"{training['best_epoch']}, seed {training['seed']}",
        f"- data sha256 {manifest['data_hash']}",
        "",
        "## Figures",
        "",
        "Generated answers, greedy, by the trainer (`lamplight-train evaluate CHECKPOINT`):",
        "",
        "| set | token F1 | exact match | BLEU | perplexity |",
        "|---|---|---|---|---|",
    ]
    for name, f in training["figures"].items():
        lines.append(f"| {name} | {f['f1']:.3f} | {f['exact_match']:.3f} | {f['bleu']:.1f} | {f['perplexity']:.2f} |")
    lines += ["", "Greatest difference between the Keras model and the exported graphs:", ""]
    lines += [f"- {name}: {value:.2g}" for name, value in findings.differences.items()]
    lines += ["", "What the smaller variants lose by rounding, on the same questions:", ""]
    lines += [f"- {name}: {value:.2g}" for name, value in findings.rounding.items()]
    lines += [
        "",
        "Confidence, cross-validated on the calibration questions (`lamplight-export`):",
        "",
        "| variant | questions | Brier | ECE | answered | wrong among answered |",
        "|---|---|---|---|---|---|",
    ]
    for name, record in calibration["variants"].items():
        if e := record.get("evidence"):
            lines.append(
                f"| {name} | {e['examples']} | {e['brier']:.3f} | {e['ece']:.3f} | {e['coverage']:.3f} "
                f"| {e['risk']:.3f} |"
            )
    lines += [
        "",
        "## What it gets wrong",
        "",
        "Questions close to two entries can get the neighbour's answer; questions outside the set can look like one "
        "inside it. Both show as a lower confidence, and a reply of low confidence is a choice of questions, or none.",
        "",
        "## Licence and attributions",
        "",
        manifest["licence"],
        "",
    ]
    lines += [f"- {a['name']}: {a['licence']}, {a['url']}" for a in manifest["attributions"]]
    return "\n".join(lines) + "\n"
