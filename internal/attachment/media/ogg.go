package media

import (
	"bytes"
	"time"
)

// ogg looks at the streams that begin in an Ogg file: each has a page of its own
// before anything else.
func ogg(head []byte) string {
	sound := false
	for _, packet := range beginnings(head) {
		switch oggCodec(packet) {
		case "theora":
			return OggVideo
		case "":
		default:
			sound = true
		}
	}
	if sound {
		return OggAudio
	}
	return "application/ogg"
}

// beginnings are the packets on the first pages of head that begin streams.
func beginnings(head []byte) (packets [][]byte) {
	for bytes.HasPrefix(head, []byte("OggS")) && len(head) > pageHeader && head[5]&2 != 0 {
		table := pageHeader + int(head[26])
		if len(head) < table {
			break
		}
		size := 0
		for _, n := range head[pageHeader:table] {
			size += int(n)
		}
		body := head[table:min(table+size, len(head))]
		packets = append(packets, body)
		head = head[table+len(body):]
	}
	return packets
}

// pageHeader is the length of a page's header without its table.
const pageHeader = 27

// oggCodec names a stream by its first packet.
func oggCodec(packet []byte) string {
	for _, c := range []struct{ magic, name string }{
		{"OpusHead", "opus"}, {"\x01vorbis", "vorbis"}, {"\x7fFLAC", "flac"}, {"Speex   ", "speex"}, {"\x80theora", "theora"},
	} {
		if bytes.HasPrefix(packet, []byte(c.magic)) {
			return c.name
		}
	}
	return ""
}

// The parts of an Ogg file that are looked at: its first pages and its last.
const (
	oggHead = 3 << 10
	oggTail = 64 << 10
)

// ogg reads which streams there are, and from the last page how many samples came
// before its end.
func (f *file) ogg() (info Info) {
	var rate uint64
	for _, packet := range beginnings(f.at(0, int(min(f.size, oggHead)))) {
		codec := oggCodec(packet)
		switch {
		case codec == "theora":
			info.Video = codec
		case codec != "" && info.Audio == "":
			info.Audio = codec
			rate = sampleRate(codec, packet)
		}
	}
	if info.Video == "" { // else the last page may be the film's, which counts otherwise
		info.Duration = f.lastPage(rate)
	}
	return info
}

// sampleRate is how many of its positions make a second of a stream.
func sampleRate(codec string, packet []byte) uint64 {
	switch {
	case codec == "opus":
		return 48_000 // whatever was recorded
	case codec == "vorbis" && len(packet) >= 16:
		return uint64(le.Uint32(packet[12:]))
	case codec == "speex" && len(packet) >= 40:
		return uint64(le.Uint32(packet[36:]))
	}
	return 0
}

// lastPage is the time at the end of the last page.
func (f *file) lastPage(rate uint64) time.Duration {
	n := min(f.size, oggTail)
	tail := f.at(f.size-n, int(n))
	at := bytes.LastIndex(tail, []byte("OggS\x00"))
	if at < 0 || at+14 > len(tail) {
		return 0
	}
	if granule := le.Uint64(tail[at+6:]); granule != 1<<64-1 {
		return length(granule, rate)
	}
	return 0
}
