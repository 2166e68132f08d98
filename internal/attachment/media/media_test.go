package media

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"
)

func number(n uint32) string   { return string(be.AppendUint32(nil, n)) }
func little(n uint32) string   { return string(le.AppendUint32(nil, n)) }
func zeros(n int) string       { return strings.Repeat("\x00", n) }
func long(n uint64) string     { return string(be.AppendUint64(nil, n)) }
func short(n uint16) string    { return string(le.AppendUint16(nil, n)) }
func chunk(k, s string) string { return k + little(uint32(len(s))) + s }

// atom is a box of MP4.
func atom(kind string, content ...string) string {
	body := strings.Join(content, "")
	return number(uint32(8+len(body))) + kind + body
}

// header is a mvhd or mdhd box.
func header(kind string, units, rate uint32) string {
	return atom(kind, zeros(12), number(rate), number(units), zeros(4))
}

// longHeader is the same in version 1.
func longHeader(kind string, units uint64, rate uint32) string {
	return atom(kind, "\x01", zeros(19), number(rate), long(units), zeros(4))
}

func trak(handler, codec string, units, rate uint32) string {
	return atom("trak",
		atom("tkhd", zeros(76), number(640<<16), number(360<<16)),
		atom("mdia", header("mdhd", units, rate), atom("hdlr", zeros(8), handler, zeros(12)),
			atom("minf", atom("stbl", atom("stsd", zeros(4), number(1), atom(codec, zeros(8)))))))
}

func format(tag, bits uint16, perSecond uint32, more ...string) string {
	return chunk("fmt ", short(tag)+short(1)+little(8000)+little(perSecond)+short(1)+short(bits)+strings.Join(more, ""))
}

func wave(chunks ...string) string { return "RIFF" + little(0) + "WAVE" + strings.Join(chunks, "") }

// flacBytes is the first block of FLAC.
func flacBytes(rate, samples uint64) string {
	return "fLaC\x00\x00\x00\x22" + zeros(10) + long(rate<<44|15<<36|samples) + zeros(16)
}

// leaf is an element of Matroska.
func leaf(id uint32, content ...string) string {
	name := strings.TrimLeft(number(id), "\x00")
	body := strings.Join(content, "")
	return name + string(be.AppendUint32(nil, 0x10000000|uint32(len(body)))) + body
}

func entry(kind byte, codec string, more ...string) string {
	return leaf(idTrack, leaf(idType, string([]byte{kind})), leaf(idCodec, codec), strings.Join(more, ""))
}

func mkv(segment ...string) string {
	return leaf(0x1a45dfa3, leaf(0x4282, "matroska")) + leaf(idSegment, segment...)
}

// oggPage is a page of Ogg.
func oggPage(flags byte, granule uint64, packet string) string {
	return "OggS\x00" + string([]byte{flags}) + string(le.AppendUint64(nil, granule)) + zeros(12) + "\x01" + string([]byte{byte(len(packet))}) + packet
}

// A header says how long a file is and what is in it; one that lies, ends early or
// says nothing gives nothing.
func TestProbe(t *testing.T) {
	t.Parallel()
	film := Info{Duration: 90500 * time.Millisecond, Video: "h264", Audio: "aac", Width: 640, Height: 360}
	both := trak("vide", "avc1", 0, 0) + trak("soun", "mp4a", 0, 0)
	double := func(f float64) string { return long(math.Float64bits(f)) }
	for _, tt := range []struct {
		name, mime, data string
		want             Info
	}{
		{"film", MP4, atom("ftyp", "isom") + atom("moov", header("mvhd", 90500, 1000), both), film},
		{"film with its header behind", QuickTime, atom("mdat", zeros(5000)) + atom("moov", header("mvhd", 90500, 1000), both), film},
		{"long film", MP4, atom("moov", longHeader("mvhd", 90500, 1000), both), film},
		{"box of eight bytes of length", MP4, number(1) + "mdat" + long(16+3) + "abc" + atom("moov", header("mvhd", 90500, 1000), both), film},
		{"box to the end", MP4, atom("free") + number(0) + "moov" + header("mvhd", 90500, 1000) + both, film},
		{"sound", M4A, atom("moov", header("mvhd", 3, 2), trak("soun", "alac", 0, 0)), Info{Duration: 1500 * time.Millisecond, Audio: "alac"}},
		{"length of the track", MP4, atom("moov", header("mvhd", 0, 1000), trak("vide", "hvc1", 60, 30)), Info{Duration: 2 * time.Second, Video: "hevc", Width: 640, Height: 360}},
		{"fragments", MP4, atom("moov", header("mvhd", 0, 10), atom("mvex", atom("mehd", zeros(4), number(25)))), Info{Duration: 2500 * time.Millisecond}},
		{"length not known", MP4, atom("moov", header("mvhd", math.MaxUint32, 1000)), Info{}},
		{"no rate", MP4, atom("moov", header("mvhd", 10, 0)), Info{}},
		{"a thousand years", MP4, atom("moov", longHeader("mvhd", 1000*365*86400, 1)), Info{}},
		{"the longest number", MP4, atom("moov", longHeader("mvhd", math.MaxUint64-1, 1)), Info{}},
		{"a codec that nobody knows", MP4, atom("moov", trak("vide", "x\"\x00z", 0, 0)), Info{Video: "xz", Width: 640, Height: 360}},
		{"no codec", MP4, atom("moov", trak("soun", "\x00\x00\x00\x00", 0, 0)), Info{Audio: "unknown"}},
		{"track of text", MP4, atom("moov", trak("text", "tx3g", 5, 1)), Info{}},
		{"cut", MP4, atom("moov", header("mvhd", 90500, 1000), both)[:60], Info{}},
		{"box larger than its file", MP4, number(1<<31) + "moov" + header("mvhd", 1, 1), Info{}},
		{"box larger than its parent", MP4, atom("moov", number(1<<20)+"mvhd"+zeros(100)), Info{}},
		{"box of no length", MP4, atom("ftyp") + number(7) + "moov" + header("mvhd", 1, 1), Info{}},
		{"box of a huge length", MP4, number(1) + "mdat" + long(math.MaxUint64) + atom("moov", header("mvhd", 1, 1)), Info{}},
		{"boxes without end", MP4, strings.Repeat(atom("free"), 2*maxElements) + atom("moov", header("mvhd", 1, 1)), Info{}},
		{"rubbish", MP4, "abc", Info{}},
		{"empty", MP4, "", Info{}},

		{"wav", WAV, wave(format(1, 16, 16000), chunk("data", zeros(24000))), Info{Duration: 1500 * time.Millisecond, Audio: "pcm 16 bit"}},
		{"wav with other chunks", WAV, wave(chunk("LIST", "abc")+"\x00", format(3, 32, 8000), chunk("data", zeros(4000))), Info{Duration: 500 * time.Millisecond, Audio: "float 32 bit"}},
		{"extensible", WAV, wave(format(0xfffe, 24, 24000, short(22), short(24), little(4), short(1), zeros(14)), chunk("data", zeros(24000))), Info{Duration: time.Second, Audio: "pcm 24 bit"}},
		{"length too large", WAV, wave(format(7, 8, 8000), "data", little(math.MaxUint32), zeros(8000)), Info{Duration: time.Second, Audio: "mulaw"}},
		{"length of zero", WAV, wave(format(6, 8, 8000), "data", little(0), zeros(8000)), Info{Duration: time.Second, Audio: "alaw"}},
		{"no bytes in a second", WAV, wave(format(1, 8, 0), chunk("data", zeros(100))), Info{Audio: "pcm 8 bit"}},
		{"no format", WAV, wave(chunk("data", zeros(100))), Info{}},
		{"no data", WAV, wave(format(0x55, 0, 1)), Info{Audio: "mp3"}},
		{"chunks without end", WAV, wave(strings.Repeat(chunk("junk", ""), 2*maxElements), format(1, 8, 1)), Info{}},

		{"flac", FLAC, flacBytes(44100, 66150), Info{Duration: 1500 * time.Millisecond, Audio: "flac"}},
		{"flac cut", FLAC, flacBytes(44100, 66150)[:20], Info{}},

		{"opus", OggAudio, oggPage(2, 0, "OpusHead\x01") + oggPage(0, 1, "x") + oggPage(4, 72000, "x"), Info{Duration: 1500 * time.Millisecond, Audio: "opus"}},
		{"vorbis", OggAudio, oggPage(2, 0, "\x01vorbis"+zeros(5)+little(8000)) + oggPage(4, 12000, "x"), Info{Duration: 1500 * time.Millisecond, Audio: "vorbis"}},
		{"theora", OggVideo, oggPage(2, 0, "\x80theora") + oggPage(2, 0, "\x01vorbis") + oggPage(4, 12000, "x"), Info{Video: "theora", Audio: "vorbis"}},
		{"ogg without a last page", OggAudio, oggPage(2, math.MaxUint64, "OpusHead"), Info{Audio: "opus"}},

		{"mkv", Matroska, mkv(leaf(idInfo, leaf(idScale, number(1_000_000)), leaf(idDuration, double(2500))),
			leaf(idTracks, entry(1, "V_MPEG4/ISO/AVC", leaf(idVideo, leaf(idWidth, "\x02\x80"), leaf(idHeight, "\x01\x68"))), entry(2, "A_OPUS")), leaf(idCluster, zeros(100))),
			Info{Duration: 2500 * time.Millisecond, Video: "h264", Audio: "opus", Width: 640, Height: 360}},
		{"webm of sound", WebM, mkv(leaf(idTracks, entry(2, "A_VORBIS"))), Info{Audio: "vorbis"}},
		{"mkv of no length", Matroska, mkv(leaf(idInfo, leaf(idDuration, double(math.NaN())))), Info{}},
		{"mkv of a negative length", Matroska, mkv(leaf(idInfo, leaf(idDuration, double(-5)))), Info{}},
		{"mkv for ever", Matroska, mkv(leaf(idInfo, leaf(idDuration, double(math.Inf(1))))), Info{}},
		{"live", WebM, leaf(0x1a45dfa3) + "\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff" + leaf(idTracks, entry(1, "V_VP9")), Info{Video: "vp9"}},
		{"element larger than its parent", Matroska, mkv("\x15\x49\xa9\x66\x1f\xff\xff\xf0"), Info{}},

		{"mp3", MP3, "ID3", Info{}},
	} {
		if got := Probe(strings.NewReader(tt.data), int64(len(tt.data)), tt.mime); got != tt.want {
			t.Errorf("%s: got %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

func TestCodec(t *testing.T) {
	t.Parallel()
	for want, info := range map[string]Info{"": {}, "h264": {Video: "h264"}, "aac": {Audio: "aac"}, "h264, aac": {Video: "h264", Audio: "aac"}} {
		if got := info.Codec(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// counter counts what is read, and what is asked for outside of the file.
type counter struct {
	*bytes.Reader
	read    int64
	outside bool
}

func (c *counter) ReadAt(p []byte, at int64) (int, error) {
	c.read += int64(len(p))
	c.outside = c.outside || at < 0 || at+int64(len(p)) > c.Size()
	return c.Reader.ReadAt(p, at)
}

// mostRead is what one file may make be read, however large it is.
const mostRead = maxElements*64 + oggTail + oggHead

// Whatever a file says, its duration is one that can be, its codecs can be shown,
// and what is read of it has an end.
func FuzzProbe(f *testing.F) {
	types := []string{MP4, WAV, FLAC, OggAudio, Matroska}
	f.Add(uint8(0), []byte(atom("moov", longHeader("mvhd", 90500, 1000), trak("vide", "avc1", 0, 0), atom("mvex", atom("mehd", zeros(8))))))
	f.Add(uint8(0), []byte(strings.Repeat(atom("moov"), 10)+number(1)+"moov"+long(math.MaxUint64)))
	f.Add(uint8(1), []byte(wave(format(0xfffe, 24, 24000, zeros(24)), "data", little(math.MaxUint32))))
	f.Add(uint8(2), []byte(flacBytes(1, 1<<36-1)))
	f.Add(uint8(3), []byte(oggPage(2, 0, "\x01vorbis"+zeros(5)+little(8000))+oggPage(4, 12000, "x")))
	f.Add(uint8(4), []byte(mkv(leaf(idInfo, leaf(idDuration, long(math.Float64bits(math.Inf(1)))), leaf(idScale, long(math.MaxUint64))), leaf(idTracks, entry(1, "V_X\"")))))
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		c := &counter{Reader: bytes.NewReader(data)}
		info := Probe(c, int64(len(data)), types[int(which)%len(types)])
		if info.Duration < 0 || info.Duration > longest+time.Second || info.Width < 0 || info.Height < 0 {
			t.Errorf("%+v", info)
		}
		if strings.ContainsFunc(info.Codec(), func(r rune) bool { return r < ' ' || r > '~' || r == '"' }) {
			t.Errorf("%q cannot be shown", info.Codec())
		}
		if c.read > mostRead || c.outside {
			t.Errorf("read %d bytes, outside of the file: %v", c.read, c.outside)
		}
	})
}

// Whatever the bytes, what they are called is sound, film or an image.
func FuzzSniff(f *testing.F) {
	for _, s := range []string{"ID3\x03\x00\x00\x00\x00\x00\x01\x00\xff\xfb\x90\x00", oggPage(2, 0, "OpusHead"), atom("ftyp", "mif1", zeros(4), "avif"), "\xff\xf1\x50\x80\x01\x7f\xfc", mkv()} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		mime := Sniff(data)
		if mime != "" && !strings.HasPrefix(mime, "audio/") && !strings.HasPrefix(mime, "video/") && !strings.HasPrefix(mime, "image/") && mime != "application/ogg" {
			t.Errorf("%q", mime)
		}
	})
}

// A lying film is looked through in no time, wherever it leads.
func BenchmarkProbeHostile(b *testing.B) {
	deep := ""
	for range 2000 {
		deep = atom("mdia", deep)
	}
	data := atom("moov", header("mvhd", 1, 1), atom("trak", deep), strings.Repeat(atom("trak", atom("mdia", atom("free"))), 500))
	for b.Loop() {
		Probe(strings.NewReader(data), int64(len(data)), MP4)
	}
}
