internal import Bus
internal import Glibc
internal import ZeroMQ

/// The same when a message is read and when it is written.
private let fixedTime = BusTime.now().wall

/// Reads the input as the parts of one message (each behind its length in two bytes, big-endian) and
/// reads those as frames. What is read must be written again as it was.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = UnsafeBufferPointer(start: start, count: count)[...]
    var parts: [[UInt8]] = []
    while let first = input.popFirst(), let second = input.popFirst() {
        let length = min(Int(first) << 8 | Int(second), input.count)
        parts.append(Array(input.prefix(length)))
        input = input.dropFirst(length)
    }
    var message = ZeroMQMessage(parts)
    guard let frames = try? Frames(&message, from: 0, at: fixedTime) else { return 0 }
    var draft = ZeroMQDraft()
    frames.write(to: &draft, at: fixedTime)
    precondition(draft.parts == parts, "frames were written other than they were read")
    return 0
}

/// libFuzzer's own loop, which is part of the sanitizer's library (FuzzerDriver.cpp). It has no header; three plain C
/// values are passed the same way by Swift's convention.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ testOneInput: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

var count = CommandLine.argc
var arguments = CommandLine.unsafeArgv
exit(runDriver(&count, &arguments, testOneInput))
