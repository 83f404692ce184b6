"""Speech recognisers from their papers, with seeded weights: Emformer with its joiner, Wav2Letter."""

import torch
from torch import nn
from torch.nn import functional as F

from model_suite.spec import Spec, model


class Layout:
    """How an Emformer sees a recording: segments with frames of context on either side, and a memory of segments before."""

    def __init__(self, segments, length=4, left=8, right=1, memories=2):
        self.segments, self.length, self.left, self.right, self.memories = segments, length, left, right, memories
        self.frames = segments * length

    def visible(self):
        """[queries, keys]: queries are the copies of right contexts, the frames and the segments' summaries; keys are the memory,
        the copies and the frames."""
        n, frame = self.segments, torch.arange(self.frames)
        copies = torch.arange(n).repeat_interleave(self.right)
        query = torch.cat([copies, frame // self.length, torch.arange(n)])[:, None]
        memory, start = torch.arange(n)[None], query * self.length
        summary = torch.arange(len(query))[:, None] >= len(query) - n
        return torch.cat([
            (memory < query) & (memory >= query - self.memories) & ~summary,
            copies[None] == query,
            (frame[None] >= start - self.left) & (frame[None] < start + self.length),
        ], 1)  # fmt: skip


class EmformerLayer(nn.Module):
    def __init__(self, layout, width, heads, hidden):
        super().__init__()
        self.layout, self.heads = layout, heads
        self.query, self.key_value = nn.Linear(width, width), nn.Linear(width, 2 * width)
        self.out, self.norm_in, self.norm_out = nn.Linear(width, width), nn.LayerNorm(width), nn.LayerNorm(width)
        self.feed_forward = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, width))

    def split(self, x):
        return x.view(x.size(0), x.size(1), self.heads, -1).transpose(1, 2)

    def forward(self, x, memory, mask):
        """x [B, copies + frames, width], memory [B, segments, width] -> both of the next layer."""
        normed = self.norm_in(x)
        frames = normed[:, -self.layout.frames :]
        summary = frames.reshape(x.size(0), self.layout.segments, self.layout.length, -1).mean(2)
        key, value = self.key_value(torch.cat([memory, normed], 1)).chunk(2, -1)
        query = self.query(torch.cat([normed, summary], 1))
        y = F.scaled_dot_product_attention(self.split(query), self.split(key), self.split(value), attn_mask=mask)
        y = self.out(y.transpose(1, 2).reshape(query.shape))
        x = x + y[:, : x.size(1)]
        x = x + self.feed_forward(x)
        return self.norm_out(x), torch.tanh(y[:, x.size(1) :])


class EmformerTranscriber(nn.Module):
    """Features [B, 4 * (frames + right), 80] and their lengths -> [B, frames, output], lengths."""

    STRIDE = 4

    def __init__(self, layers=8, width=512, heads=8, hidden=2048, output=1024, segments=8):
        super().__init__()
        self.layout = Layout(segments)
        self.narrow, self.wide = nn.Linear(80, width // self.STRIDE, bias=False), nn.Linear(width, output)
        self.layers = nn.ModuleList(EmformerLayer(self.layout, width, heads, hidden) for _ in range(layers))
        self.norm = nn.LayerNorm(output)
        self.register_buffer("visible", self.layout.visible())

    def forward(self, features, lengths):
        layout, batch = self.layout, features.size(0)
        x = self.narrow(features)
        x = x.reshape(batch, x.size(1) // self.STRIDE, -1)
        copies = [x[:, s * layout.length : s * layout.length + layout.right] for s in range(1, layout.segments + 1)]
        center = x[:, : layout.frames]
        lengths = lengths // self.STRIDE
        memory = center.reshape(batch, layout.segments, layout.length, -1).mean(2)
        x = torch.cat([*copies, center], 1)
        for layer in self.layers:
            x, memory = layer(x, memory, self.visible)
        return self.norm(self.wide(x[:, -layout.frames :])), lengths


class Joiner(nn.Module):
    """Transcriptions [B, T, D] and predictions [B, U, D] -> scores of tokens [B, T, U, tokens]."""

    def __init__(self, width=1024, tokens=4097):
        super().__init__()
        self.linear = nn.Linear(width, tokens)

    def forward(self, source, target):
        return self.linear(F.relu(source.unsqueeze(2) + target.unsqueeze(1)))


@model
def emformer_transcriber() -> Spec:
    net = EmformerTranscriber()
    frames = net.STRIDE * (net.layout.frames + net.layout.right)
    return Spec(net, (torch.randn(1, frames, 80), torch.tensor([frames])), ["portable", "xnnpack", "xnnpack_q8"],
                note="8 layers of 512, segments of 160 ms")  # fmt: skip


@model
def emformer_joiner() -> Spec:
    return Spec(Joiner(), (torch.randn(1, 16, 1024), torch.randn(1, 8, 1024)), ["portable", "xnnpack", "xnnpack_q8"])


def wav2letter_net(letters=29) -> nn.Module:
    layers, channels = [], 1
    units = [(250, 250, 160, 45), (250, 48, 2, 23), *[(250, 7, 1, 3)] * 7, (2000, 32, 1, 16), (2000, 1, 1, 0)]
    for o, kernel, stride, padding in units:
        layers += [nn.Conv1d(channels, o, kernel, stride, padding), nn.ReLU()]
        nn.init.kaiming_normal_(layers[-2].weight, nonlinearity="relu")
        channels = o
    return nn.Sequential(*layers, nn.Conv1d(channels, letters, 1))


@model
def wav2letter() -> Spec:
    return Spec(wav2letter_net(), (torch.randn(1, 1, 16000),), ["portable", "xnnpack", "xnnpack_q8"], note="a second of raw audio")
