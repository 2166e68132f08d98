package media

import (
	"fmt"
)

// wav reads the header of a WAV file. What its data chunk says of its length
// counts only as far as the file goes: recorders that were cut off leave it at
// zero or at the most that fits.
func (f *file) wav() (info Info) {
	var perSecond uint64
	for at := int64(12); f.more(); {
		h := f.at(at, 8)
		if h == nil {
			return info
		}
		size := int64(le.Uint32(h[4:]))
		at += 8
		switch string(h[:4]) {
		case "fmt ":
			if b := f.at(at, 16); b != nil && size >= 16 {
				info.Audio = wavCodec(le.Uint16(b), le.Uint16(b[14:]))
				perSecond = uint64(le.Uint32(b[8:]))
				if b[0] == 0xfe && b[1] == 0xff { // the format stands further on
					if sub := f.at(at+24, 2); sub != nil && size >= 26 {
						info.Audio = wavCodec(le.Uint16(sub), le.Uint16(b[14:]))
					}
				}
			}
		case "data":
			if rest := f.size - at; size == 0 || size > rest {
				size = rest
			}
			info.Duration = length(uint64(size), perSecond)
			return info
		}
		at += size + size&1
	}
	return info
}

// wavCodec names the format of a WAV file.
func wavCodec(tag, bits uint16) string {
	switch tag {
	case 1:
		return fmt.Sprintf("pcm %d bit", bits)
	case 3:
		return fmt.Sprintf("float %d bit", bits)
	case 2, 0x11:
		return "adpcm"
	case 6:
		return "alaw"
	case 7:
		return "mulaw"
	case 0x55:
		return "mp3"
	}
	return "unknown"
}

// flac reads the first block of a FLAC file.
func (f *file) flac() Info {
	b := f.at(0, 26)
	if b == nil || string(b[:4]) != "fLaC" || b[4]&0x7f != 0 {
		return Info{}
	}
	// Sample rate in 20 bits, channels in 3, depth in 5, samples in 36.
	packed := be.Uint64(b[18:])
	return Info{Audio: "flac", Duration: length(packed&(1<<36-1), packed>>44)}
}
