#include "core/setup/offered_text.hpp"

namespace headlight {

const std::string_view offered_text =
    "aardvark\nalbatross\nalligator\nalpaca\nanaconda\nanchovy\nant\nanteater\nantelope\nape\narmadillo\navocet\n"
    "axolotl\nbaboon\nbadger\nbarnacle\nbarracuda\nbass\nbat\nbeagle\nbear\nbeaver\nbee\nbeetle\nbison\nblackbird\n"
    "boar\nbobcat\nbonobo\nbuffalo\nbulldog\nbullfrog\nbumblebee\nbunting\nbutterfly\nbuzzard\ncamel\ncanary\n"
    "capybara\ncaribou\ncarp\ncassowary\ncat\ncatfish\ncattle\ncentipede\nchameleon\ncheetah\nchicken\nchipmunk\n"
    "cicada\nclam\ncobra\ncockatoo\ncockroach\ncod\ncondor\ncoral\ncormorant\ncougar\ncow\ncoyote\ncrab\ncrane\n"
    "cricket\ncrocodile\ncrow\ncuckoo\ncurlew\ndeer\ndingo\ndinosaur\ndog\ndolphin\ndonkey\ndormouse\ndove\n"
    "dragonfly\nduck\ndugong\neagle\nearthworm\nearwig\neel\negret\neland\nelephant\nelk\nemu\nfalcon\nferret\n"
    "finch\nfirefly\nflamingo\nflea\nflounder\nfly\nfox\nfrog\ngannet\ngazelle\ngecko\ngerbil\ngibbon\ngiraffe\n"
    "glowworm\ngnat\ngnu\ngoat\ngoldfinch\ngoldfish\ngoose\ngopher\ngorilla\ngoshawk\ngreyhound\ngrouse\nguanaco\n"
    "gull\nguppy\nhaddock\nhake\nhalibut\nhamster\nhare\nharrier\nhawk\nhedgehog\nhen\nheron\nherring\nhippo\n"
    "hornet\nhorse\nhound\nhyena\nibex\nibis\niguana\nimpala\njackal\njackdaw\njaguar\njay\njellyfish\nkangaroo\n"
    "kestrel\nkite\nkiwi\nkoala\nkudu\nladybird\nlamprey\nlapwing\nlark\nlemming\nlemur\nleopard\nlimpet\nlinnet\n"
    "lion\nlizard\nllama\nlobster\nlocust\nloris\nlouse\nlynx\nlyrebird\nmacaw\nmackerel\nmagpie\nmallard\nmammoth\n"
    "manatee\nmandrill\nmantis\nmarlin\nmarmoset\nmarmot\nmarten\nmeerkat\nmillipede\nmink\nminnow\nmite\nmole\n"
    "mongoose\nmonkey\nmoose\nmosquito\nmoth\nmouse\nmule\nmussel\nnewt\nnuthatch\nocelot\noctopus\nokapi\nopossum\n"
    "orangutan\noriole\nosprey\nostrich\notter\nowl\noyster\npanda\npangolin\npanther\nparakeet\nparrot\npartridge\n"
    "peacock\npelican\npenguin\nperch\npheasant\npig\npigeon\npike\npipit\nplaice\nplatypus\nplover\npolecat\npony\n"
    "porcupine\nporpoise\nprawn\npuffin\npuma\npython\nquail\nquokka\nrabbit\nraccoon\nrat\nraven\nreindeer\nroach\n"
    "robin\nrook\nrooster\nsalmon\nsandpiper\nsardine\nscorpion\nseagull\nseahorse\nseal\nserval\nshark\nsheep\n"
    "shrew\nshrimp\nskate\nskunk\nskylark\nsloth\nslug\nsnail\nsnake\nsnipe\nsole\nsparrow\nspider\nsponge\nsquid\n"
    "squirrel\nstarfish\nstarling\nstingray\nstoat\nstork\nsturgeon\nswallow\nswan\nswift\nswordfish\ntapir\n"
    "tarantula\ntarsier\ntermite\ntern\nterrapin\nthrush\ntick\ntiger\ntoad\ntortoise\ntoucan\ntrout\ntuna\nturkey\n"
    "turtle\nviper\nvole\nvulture\nwallaby\nwalrus\nwarbler\nwarthog\nwasp\nweasel\nweevil\nwhale\nwhelk\nwildcat\n"
    "wolf\nwolverine\nwombat\nwoodcock\nwoodlouse\nworm\nwren\nyak\nzebra";

}  // namespace headlight
